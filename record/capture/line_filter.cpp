#include "record/capture/line_filter.h"

#include <algorithm>

namespace benanza::record {

LineFilter::LineFilter(std::vector<std::string_view> markers, TakeLine take, Pass pass)
    : markers_(std::move(markers)), take_(std::move(take)), pass_(std::move(pass)) {}

LineFilter::Found LineFilter::find_marker(std::size_t from) const {
  Found first;
  for (const std::string_view marker : markers_) {
    const std::size_t at = held_.find(marker, from);
    // Of markers with a common suffix, the one that starts first is the longest.
    if (at < first.at) first = {at, marker.size()};
  }
  return first;
}

std::size_t LineFilter::open_end(std::size_t from) const {
  std::size_t longest = 0;
  const std::string_view rest = std::string_view(held_).substr(from);
  for (const std::string_view marker : markers_) {
    for (std::size_t length = std::min(marker.size() - 1, rest.size()); length > longest;
         --length) {
      if (rest.ends_with(marker.substr(0, length))) longest = length;
    }
  }
  return longest;
}

void LineFilter::pass(std::size_t from, std::size_t to) {
  if (to > from) pass_(std::string_view(held_).substr(from, to - from));
}

void LineFilter::feed(std::string_view bytes) {
  held_ += bytes;
  std::size_t done = 0;
  std::size_t search = 0;
  for (;;) {
    const Found marker = find_marker(search);
    if (marker.at == std::string::npos) {
      const std::size_t keep = held_.size() - open_end(search);
      pass(done, keep);
      held_.erase(0, keep);
      return;
    }
    const std::size_t end = held_.find('\n', marker.at);
    if (end == std::string::npos && held_.size() - marker.at <= longest_line) {
      pass(done, marker.at);
      held_.erase(0, marker.at);
      return;
    }
    const bool takes = end != std::string::npos && end - marker.at <= longest_line &&
                       take_(std::string_view(held_).substr(marker.at, end - marker.at));
    if (takes) {
      pass(done, marker.at);
      done = search = end + 1;
    } else {
      // The line may contain another marker if two processes printed at once.
      search = marker.at + marker.length;
    }
  }
}

void LineFilter::idle() {
  if (find_marker(0).at == 0) return;
  end();
}

void LineFilter::end() {
  pass(0, held_.size());
  held_.clear();
}

}  // namespace benanza::record
