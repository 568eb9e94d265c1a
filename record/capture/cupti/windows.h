#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>

namespace benanza::record {

/// The most recent time spans in which a program is recorded, in chronological order.
class Windows {
 public:
  void open(std::int64_t time) {
    if (spans_.size() == most_spans) spans_.pop_front();
    spans_.push_back({time, std::numeric_limits<std::int64_t>::max()});
  }
  /// Closes the open span.
  void close(std::int64_t time) {
    if (!spans_.empty()) spans_.back().end = time;
  }
  bool contains(std::int64_t time) const {
    const auto later = std::ranges::upper_bound(spans_, time, {}, &Span::begin);
    return later != spans_.begin() && time < std::prev(later)->end;
  }

 private:
  /// More than a program opens until CUPTI has delivered what began in the first.
  static constexpr std::size_t most_spans = 65'536;
  struct Span {
    std::int64_t begin;
    std::int64_t end;
  };
  std::deque<Span> spans_;
};

}  // namespace benanza::record
