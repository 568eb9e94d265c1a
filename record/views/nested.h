#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace benanza {

/// A span of one thread, which may contain others. `index` is the caller's.
struct Nested {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::size_t index = 0;
};

/// Sorts by start; of equal starts, the longer span is the outer one.
inline void sort(std::vector<Nested>& spans) {
  std::ranges::stable_sort(spans, [](const Nested& a, const Nested& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
}

/// Nested spans, each with the one that encloses it.
class Enclosing {
 public:
  explicit Enclosing(std::vector<Nested> spans) : spans_(std::move(spans)) {
    sort(spans_);
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < spans_.size(); ++at) {
      while (!open.empty() && spans_[open.back()].end <= spans_[at].start) open.pop_back();
      outer_.push_back(open.empty() ? std::optional<std::size_t>() : open.back());
      open.push_back(at);
    }
  }

  /// Calls `use` with the indices of the spans that contain `time`, innermost first.
  template <class Use>
  void for_each(std::int64_t time, const Use& use) const {
    const auto behind =
        std::upper_bound(spans_.begin(), spans_.end(), time,
                         [](std::int64_t one, const Nested& span) { return one < span.start; });
    if (behind == spans_.begin()) return;
    std::optional<std::size_t> at = static_cast<std::size_t>(behind - spans_.begin()) - 1;
    for (; at; at = outer_[*at]) {
      if (time < spans_[*at].end) use(spans_[*at].index);
    }
  }

  /// The sorted spans, and for each the position of the one directly around it.
  const std::vector<Nested>& spans() const { return spans_; }
  const std::vector<std::optional<std::size_t>>& outer() const { return outer_; }

  /// Returns the exclusive time of every span, in sorted order: its time without the spans directly
  /// inside it. A span that ends after the enclosing one counts as inside up to that one's end.
  std::vector<std::int64_t> own_times() const {
    std::vector<std::int64_t> own;
    for (std::size_t at = 0; at < spans_.size(); ++at) {
      own.push_back(spans_[at].end - spans_[at].start);
      if (const auto around = outer_[at]) {
        own[*around] -= std::min(spans_[*around].end, spans_[at].end) - spans_[at].start;
      }
    }
    return own;
  }

 private:
  std::vector<Nested> spans_;
  std::vector<std::optional<std::size_t>> outer_;
};

/// Returns the inclusive time of every span, in sorted order, without what an earlier span of the
/// same name covers (0 inside of one), so that the times of a name add up. `name_of` returns a
/// span's name for its index.
template <class NameOf>
std::vector<std::int64_t> inclusive_times(const Enclosing& enclosing, const NameOf& name_of) {
  std::vector<std::int64_t> times;
  std::map<std::decay_t<decltype(name_of(std::size_t{}))>, std::int64_t> covered;
  for (const Nested& span : enclosing.spans()) {
    std::int64_t& end = covered.try_emplace(name_of(span.index), span.start).first->second;
    times.push_back(std::max<std::int64_t>(0, span.end - std::max(span.start, end)));
    end = std::max(end, span.end);
  }
  return times;
}

}  // namespace benanza
