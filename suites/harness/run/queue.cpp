#include "suites/harness/run/queue.h"

#include <algorithm>
#include <utility>

namespace benanza::harness {

DueRepetitions::DueRepetitions(std::span<const NamedVariant> variants, const ResultStore& store,
                               std::int64_t until)
    : store_(store), until_(until) {
  for (const NamedVariant& variant : variants) {
    if (left(variant.name) == 0) continue;
    variants_.push_back(&variant);
    taken_[variant.name];
  }
}

std::int64_t DueRepetitions::left(const std::string& name) const {
  return until_ - store_.finished(name, until_);
}

std::optional<std::int64_t> DueRepetitions::next(const std::string& name) const {
  const std::vector<std::int64_t>& taken = taken_.at(name);
  if (taken.empty()) return store_.finished(name, until_);
  const std::int64_t next = taken.back() + 1;
  const Row* const last = store_.find(name, taken.back());
  const bool is_enough =
      last != nullptr && (last->status != Status::ok || store_.finished(name, next + 1) > next);
  return is_enough ? std::nullopt : std::optional(next);
}

void DueRepetitions::take(const std::string& name, std::int64_t repetition) {
  taken_.at(name).push_back(repetition);
}

const Row* DueRepetitions::row(const std::string& name, std::int64_t index) const {
  const auto taken = taken_.find(name);
  if (taken == taken_.end()) return nullptr;
  const auto place = static_cast<std::size_t>(index);
  return place < taken->second.size() ? store_.find(name, taken->second[place]) : nullptr;
}

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
