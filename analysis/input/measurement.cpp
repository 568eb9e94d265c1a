#include "analysis/input/measurement.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/library/kernel_name.h"

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

/// Numbers the process of a row: by the run of a suite that took it (the how-manieth of those that
/// `places` came from), and by the row's own number.
std::int64_t process_number(const std::vector<RowPlace>& places, const RowPlace& place) {
  constexpr std::int64_t most_processes_of_a_run = std::int64_t{1} << 32;
  const auto run_of = [](const RowPlace& one) { return std::pair(one.source, one.earlier); };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (const RowPlace& one : places) {
    if (std::ranges::find(runs, run_of(one)) == runs.end()) runs.push_back(run_of(one));
  }
  const auto run = std::ranges::find(runs, run_of(place)) - runs.begin();
  return run * most_processes_of_a_run + place.process;
}

void add_processes(Measurement& held, std::size_t held_times, const Measurement& added) {
  if (held.repetition_processes.empty() && added.repetition_processes.empty()) return;
  held.repetition_processes.resize(held_times);
  if (added.places.empty()) {
    for (std::size_t i = 0; i < added.repetition_seconds.size(); ++i) {
      const bool is_known = i < added.repetition_processes.size();
      held.repetition_processes.push_back(is_known ? added.repetition_processes[i] : 0);
    }
    return;
  }
  for (RowPlace place : added.places) {
    place.earlier =
        static_cast<std::uint32_t>(std::ranges::count_if(held.places, [&](const RowPlace& one) {
          return one.source == place.source && one.process == place.process &&
                 one.repetition == place.repetition;
        }));
    held.repetition_processes.push_back(process_number(held.places, place));
    held.places.push_back(place);
  }
}

bool is_of_one_process(const Measurement& held, const Measurement& added) {
  const auto process_of = [](const Measurement& one) {
    return one.places.empty() ? std::tuple<std::uint32_t, std::int64_t>()
                              : std::tuple(one.places.back().source, one.places.back().process);
  };
  return held.repetition_processes.empty() == added.repetition_processes.empty() &&
         process_of(held) == process_of(added);
}

/// The times of both. Of one process, those with company do not count beside others; of several,
/// company is a state of the machine like others, and a process that it stalled is left out when
/// they are added up.
void merge_times(Measurement& held, Measurement&& added) {
  const bool one_process = is_of_one_process(held, added);
  if (one_process && added.crowded_repetitions > 0 && held.crowded_repetitions == 0) return;
  if (one_process && held.crowded_repetitions > 0 && added.crowded_repetitions == 0) {
    held.crowded_repetitions = 0;
    held.repetition_seconds.clear();
    held.repetition_processes.clear();
    held.places.clear();
    held.disturbed_repetitions = 0;
    held.disturbance.clear();
  }
  add_processes(held, held.repetition_seconds.size(), added);
  held.repetition_seconds.insert(held.repetition_seconds.end(), added.repetition_seconds.begin(),
                                 added.repetition_seconds.end());
  held.disturbed_repetitions += added.disturbed_repetitions;
  held.crowded_repetitions += added.crowded_repetitions;
  held.virtual_machine = held.virtual_machine || added.virtual_machine;
  if (held.disturbance.empty()) held.disturbance = std::move(added.disturbance);
}

void merge(Measurement& held, Measurement&& added) {
  if (held.status == added.status) {
    held.first_choice = held.first_choice && added.first_choice;
    held.in_place = held.in_place || added.in_place;
    held.shares_workspace = held.shares_workspace || added.shares_workspace;
    held.reference = held.reference || added.reference;
    held.strided_axes = std::max(held.strided_axes, added.strided_axes);
    complete(held.workspace_bytes, added.workspace_bytes);
    complete(held.constant_bytes, added.constant_bytes);
    complete(held.heuristic_rank, added.heuristic_rank);
    complete(held.tensor_cores, added.tensor_cores);
    complete(held.rotating_seconds, added.rotating_seconds);
    complete(held.joules, added.joules);
    if (held.kernels.empty()) held.kernels = std::move(added.kernels);
    if (held.operand_formats.empty()) held.operand_formats = std::move(added.operand_formats);
    if (held.result_formats.empty()) held.result_formats = std::move(added.result_formats);
    merge_times(held, std::move(added));
  } else if (weight(added.status) > weight(held.status)) {
    held = std::move(added);
  }
}

std::vector<std::string> kernels_of(const Row& row) {
  std::vector<std::string> kernels;
  for (const std::string& mangled : row.kernel_names) {
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

void MeasurementSet::add(Row row, std::size_t source) {
  std::vector<double> times;
  std::vector<RowPlace> places;
  if (row.status == Status::ok) {
    times.push_back(median_in_place(row.samples));
    places.push_back({.source = static_cast<std::uint32_t>(source),
                      .process = row.process_number(),
                      .repetition = row.repetition});
  }
  std::vector<std::int64_t> numbers;
  for (const RowPlace& place : places) numbers.push_back(process_number({}, place));
  const bool disturbed = row.status == Status::ok && row.is_disturbed();
  std::vector<std::string> kernels = kernels_of(row);
  add(Measurement{.variant = std::move(row.variant),
                  .status = row.status,
                  .reason = std::move(row.reason),
                  .repetition_seconds = std::move(times),
                  .repetition_processes = numbers,
                  .places = std::move(places),
                  .workspace_bytes = row.workspace_bytes,
                  .shares_workspace = row.shares_workspace,
                  .heuristic_rank = row.heuristic_rank,
                  .tensor_cores = row.tensor_cores(),
                  .kernels = std::move(kernels),
                  .rotating_seconds = row.rotating_seconds,
                  .joules = row.energy_joules,
                  .disturbed_repetitions = disturbed ? 1U : 0U,
                  .disturbance = disturbed ? row.disturbed : "",
                  .crowded_repetitions = disturbed && row.had_company() ? 1U : 0U,
                  .virtual_machine = row.virtual_machine,
                  .first_choice = row.first_choice,
                  .in_place = row.in_place,
                  .reference = row.reference,
                  .strided_axes = row.strided_axes.value_or(0),
                  .constant_bytes = row.constant_bytes,
                  .operand_formats = std::move(row.operand_formats),
                  .result_formats = std::move(row.result_formats)});
}

void MeasurementSet::add(Measurement measurement) {
  any_marked_ = any_marked_ || measurement.disturbed_repetitions > 0 || measurement.first_choice;
  // Rows from before the fact: only these names said so.
  measurement.in_place = measurement.in_place || adds_in_place(measurement.variant.algorithm);
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

const Measurement* MeasurementSet::call(std::string_view name) const {
  for (const Measurement& one : find(parse_variant_name(name).key)) {
    if (one.status == Status::ok && to_string(one.variant) == name) return &one;
  }
  return nullptr;
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
