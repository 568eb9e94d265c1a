#include "suites/harness/run/look_ahead.h"

#include <algorithm>

namespace benanza::harness {

void LookAhead::add(const NamedVariant& variant) {
  if (variant.status == Status::ok) coming_.push_back(&variant);
}

void LookAhead::reach(const NamedVariant& variant) {
  const auto place = std::ranges::find(coming_, &variant);
  if (place == coming_.end()) return;
  const auto end =
      std::min(coming_.size(), static_cast<std::size_t>(place - coming_.begin()) + looked_ahead);
  for (; hinted_ < end; ++hinted_) backend_.prefetch(coming_[hinted_]->variant);
}

}  // namespace benanza::harness
