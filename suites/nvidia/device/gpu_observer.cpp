#include "suites/nvidia/device/gpu_observer.h"

#include <algorithm>
#include <fstream>

namespace benanza::nvidia {
namespace {

struct NamedReason {
  std::uint64_t bit;
  const char* name;
};

constexpr NamedReason reasons[] = {
    {clock_reason::power_cap, "power cap"},
    {clock_reason::software_thermal, "software thermal slowdown"},
    {clock_reason::hardware_thermal, "hardware thermal slowdown"},
    {clock_reason::hardware_slowdown, "hardware slowdown"},
    {clock_reason::power_brake, "power brake"},
    {clock_reason::sync_boost, "sync boost"},
    {clock_reason::display_clock, "display clock"},
    {clock_reason::applications_clocks, "applications clocks"},
    {clock_reason::idle, "idle"},
};

/// Returns 0 if there is no such process.
unsigned parent_of(unsigned process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    if (word != "PPid:") continue;
    unsigned parent = 0;
    status >> parent;
    return parent;
  }
  return 0;
}

void add(Facts& facts, const char* name, const std::optional<double>& value) {
  if (value) facts[name] = *value;
}

}  // namespace

std::string clock_reason_names(std::uint64_t bits) {
  std::string names;
  for (const NamedReason& reason : reasons) {
    if ((bits & reason.bit) == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(reason.name);
  }
  return names;
}

GpuObserver::GpuObserver(Management& management, unsigned own_process, harness::Pace::Now now)
    : management_(management), own_process_(own_process), paces_(now) {
  if (const auto percent = management_.utilization_percent()) {
    at_start_.emplace_back("gpu_utilization_before_percent",
                           std::to_string(static_cast<int>(*percent)));
  }
  if (const auto count = others()) {
    at_start_.emplace_back("other_gpu_processes_before", std::to_string(*count));
  }
}

void GpuObserver::begin() {
  before_ = read();
  // Discards samples from before this measurement.
  ask_others_ran();
}

harness::Conditions GpuObserver::end() {
  const Reading after = read();
  harness::Conditions conditions;
  Facts& facts = conditions.facts;
  add(facts, "sm_clock_mhz_before", before_.sm_clock_mhz);
  add(facts, "sm_clock_mhz_after", after.sm_clock_mhz);
  add(facts, "memory_clock_mhz_before", before_.memory_clock_mhz);
  add(facts, "memory_clock_mhz_after", after.memory_clock_mhz);
  add(facts, "power_w", paces_.power.ask([this] { return management_.power_watts(); }));
  add(facts, "temperature_c",
      paces_.temperature.ask([this] { return management_.temperature_celsius(); }));

  const std::uint64_t reasons = before_.reasons.value_or(0) | after.reasons.value_or(0);
  if (reasons != 0) facts["clock_reasons"] = clock_reason_names(reasons);
  if ((reasons & throttling) != 0) {
    conditions.disturbances.push_back(clock_reason_names(reasons & throttling));
  }
  ask_others_ran();
  const auto count = paces_.processes.ask([this] { return others(); });
  if (!count) return conditions;
  facts["other_gpu_processes"] = static_cast<double>(*count);
  // A process that ran something may have exited since, or may not be listed yet.
  if (others_ran_.value_or(*count > 0)) {
    conditions.disturbances.emplace_back("another process on the GPU");
    conditions.company = true;
  }
  return conditions;
}

GpuObserver::Reading GpuObserver::read() {
  Reading reading;
  reading.sm_clock_mhz = paces_.clocks.ask([&] {
    const auto clock = management_.sm_clock_mhz();
    reading.memory_clock_mhz = management_.memory_clock_mhz();
    return clock;
  });
  reading.reasons = paces_.reasons.ask([this] { return management_.clock_reasons(); });
  return reading;
}

std::optional<std::size_t> GpuObserver::others() {
  const auto processes = management_.compute_processes();
  // This process holds a context: if it is not listed, the list is incomplete.
  if (!processes || processes->empty()) return std::nullopt;
  // In a container, our processes have other ids in the list, but are included in it.
  return processes->size() - std::min(processes->size(), own_processes_);
}

void GpuObserver::ask_others_ran() {
  const auto uses = paces_.use.ask([this] { return management_.process_use(); });
  if (!uses) return;
  const bool shows_this =
      std::ranges::find(*uses, own_process_, &Management::ProcessUse::process) != uses->end();
  if (!shows_this) return;
  others_ran_ = std::ranges::any_of(*uses, [this](const Management::ProcessUse& use) {
    return use.percent > 0 && use.process != own_process_ && parent_of(use.process) != own_process_;
  });
}

}  // namespace benanza::nvidia
