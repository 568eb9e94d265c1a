#include "suites/harness/run/queue.h"

#include <algorithm>
#include <utility>

namespace benanza::harness {

Queue::Queue(Backend& backend, const std::vector<const NamedVariant*>& due)
    : backend_(backend), look_ahead_(backend), postponed_(due) {
  for (const NamedVariant* const variant : due) look_ahead_.add(*variant);
}

std::vector<const NamedVariant*> Queue::next_round() {
  is_patient_ = !std::exchange(has_started_, false);
  return std::exchange(postponed_, {});
}

bool Queue::is_postponed(const NamedVariant& variant) {
  if (std::ranges::find(postponed_, &variant) != postponed_.end()) return true;
  if (backend_.is_ready(variant.variant) || std::exchange(is_patient_, false)) {
    has_started_ = true;
    return false;
  }
  postponed_.push_back(&variant);
  return true;
}

}  // namespace benanza::harness
