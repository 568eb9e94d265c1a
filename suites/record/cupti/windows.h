#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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
    for (auto span = spans_.rbegin(); span != spans_.rend(); ++span) {
      if (span->begin <= time) return time < span->end;
    }
    return false;
  }

 private:
  static constexpr std::size_t most_spans = 4096;
  struct Span {
    std::int64_t begin;
    std::int64_t end;
  };
  std::deque<Span> spans_;
};

}  // namespace benanza::record
