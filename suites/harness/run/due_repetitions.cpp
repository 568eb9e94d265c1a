#include "suites/harness/run/due_repetitions.h"

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

}  // namespace benanza::harness
