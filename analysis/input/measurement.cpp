#include "analysis/input/measurement.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "core/recording/readable_name.h"

namespace benanza::analysis {
namespace {

/// Precedence between the outcomes of a variant's repetitions: the larger value wins.
int weight(Status status) {
  switch (status) {
    case Status::failed:
      return 0;
    case Status::unsupported:
      return 1;
    case Status::ok:
      return 2;
    case Status::incorrect:
      return 3;
  }
  return 0;
}

/// Fills in what the earlier repetition lacks, for example because it ran without a profiler.
template <class T>
void complete(std::optional<T>& held, const std::optional<T>& added) {
  if (!held) held = added;
}

/// The times of both, unless only one of them had company.
void merge_times(Measurement& held, Measurement&& added) {
  if (added.crowded && !held.crowded) return;
  if (held.crowded && !added.crowded) {
    held.crowded = false;
    held.repetition_seconds.clear();
    held.disturbed_repetitions = 0;
    held.disturbance.clear();
  }
  held.repetition_seconds.insert(held.repetition_seconds.end(), added.repetition_seconds.begin(),
                                 added.repetition_seconds.end());
  held.disturbed_repetitions += added.disturbed_repetitions;
  if (held.disturbance.empty()) held.disturbance = std::move(added.disturbance);
}

void merge(Measurement& held, Measurement&& added) {
  if (held.status == added.status) {
    held.first_choice = held.first_choice && added.first_choice;
    complete(held.workspace_bytes, added.workspace_bytes);
    complete(held.heuristic_rank, added.heuristic_rank);
    complete(held.tensor_cores, added.tensor_cores);
    complete(held.joules, added.joules);
    if (held.kernels.empty()) held.kernels = std::move(added.kernels);
    merge_times(held, std::move(added));
  } else if (weight(added.status) > weight(held.status)) {
    held = std::move(added);
  }
}

std::string disturbance_of(const Row& row) {
  const Facts facts = facts_of(row);
  const auto found = facts.find("disturbed");
  const auto* text = found == facts.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "throttled" : *text;
}

std::vector<std::string> kernels_of(const Row& row) {
  std::vector<std::string> kernels;
  for (const std::string& mangled : kernel_names(row)) {
    std::string name = readable_name(mangled);
    if (std::ranges::find(kernels, name) == kernels.end()) kernels.push_back(std::move(name));
  }
  return kernels;
}

auto order(const VariantName& variant) {
  return std::make_tuple(to_string(variant.precision), to_string(variant.layout),
                         std::string_view(variant.backend), std::string_view(variant.algorithm),
                         variant.cold);
}

}  // namespace

void MeasurementSet::add(Row row) {
  std::vector<double> times;
  if (row.status == Status::ok) times.push_back(median_in_place(row.samples));
  const bool disturbed = row.status == Status::ok && is_disturbed(row);
  std::vector<std::string> kernels = kernels_of(row);
  add(Measurement{.variant = std::move(row.variant),
                  .status = row.status,
                  .reason = std::move(row.reason),
                  .repetition_seconds = std::move(times),
                  .workspace_bytes = row.workspace_bytes,
                  .heuristic_rank = row.heuristic_rank,
                  .tensor_cores = row.tensor_cores,
                  .kernels = std::move(kernels),
                  .joules = energy_joules(row),
                  .disturbed_repetitions = disturbed ? 1U : 0U,
                  .disturbance = disturbed ? disturbance_of(row) : "",
                  .crowded = disturbed && had_company(row),
                  .first_choice = is_first_choice(row)});
}

void MeasurementSet::add(Measurement measurement) {
  any_marked_ = any_marked_ || measurement.disturbed_repetitions > 0 || measurement.first_choice;
  std::vector<Measurement>& variants = by_key_[measurement.variant.key];
  const auto place = std::lower_bound(variants.begin(), variants.end(), measurement.variant,
                                      [](const Measurement& held, const VariantName& added) {
                                        return order(held.variant) < order(added);
                                      });
  if (place != variants.end() && place->variant == measurement.variant) {
    merge(*place, std::move(measurement));
  } else {
    variants.insert(place, std::move(measurement));
  }
}

void MeasurementSet::remove(const std::set<std::string>& backends) {
  for (auto& [key, variants] : by_key_) {
    std::erase_if(variants,
                  [&](const Measurement& one) { return backends.contains(one.variant.backend); });
  }
  std::erase_if(by_key_, [](const auto& of_key) { return of_key.second.empty(); });
}

std::span<const Measurement> MeasurementSet::find(std::string_view key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  return found->second;
}

std::vector<std::string_view> MeasurementSet::keys() const {
  std::vector<std::string_view> keys;
  keys.reserve(by_key_.size());
  for (const auto& [key, variants] : by_key_) keys.emplace_back(key);
  return keys;
}

std::size_t MeasurementSet::size() const {
  std::size_t total = 0;
  for (const auto& [key, variants] : by_key_) total += variants.size();
  return total;
}

}  // namespace benanza::analysis
