#include "suites/harness/conditions/host_observer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace benanza::harness {
namespace {

/// Number of readings kept: those of at least a second, at one measurement per 10 ms.
constexpr std::size_t most_readings = 128;

/// Returns the number in "cpu12"; empty for the line of all processors together and for other
/// lines.
std::optional<int> processor_number(std::string_view word) {
  if (!word.starts_with("cpu")) return std::nullopt;
  return text::number<int>(word.substr(3));
}

/// The columns are user nice system idle iowait irq softirq steal; guest time is included in user.
std::optional<ProcessorTicks> ticks_of(std::istringstream& columns) {
  std::array<std::int64_t, 8> values{};
  for (std::int64_t& value : values) {
    if (!(columns >> value)) return std::nullopt;
  }
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = values;
  const std::int64_t busy = user + nice + system + irq + softirq;
  return ProcessorTicks{.busy = busy, .steal = steal, .total = busy + idle + iowait + steal};
}

/// Whether the processors have a hypervisor's flag.
bool is_virtual(const std::filesystem::path& cpuinfo) {
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return (line + ' ').find(" hypervisor ") != std::string::npos;
  }
  return false;
}

std::string percent(double value) { return std::to_string(std::llround(value)) + '%'; }

std::string one_decimal(double value) {
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 1);
  return {text, end};
}

}  // namespace

HostObserver::HostObserver(std::vector<int> processors, std::filesystem::path root,
                           const Pace::Now& now)
    : processors_(std::move(processors)),
      root_(std::move(root)),
      virtual_machine_(is_virtual(root_ / "proc/cpuinfo")),
      ticks_per_second_(static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)))),
      pace_of_ticks_(now),
      pace_of_clock_(now) {}

void HostObserver::begin() {
  readings_.push_back(read());
  if (readings_.size() > most_readings) readings_.pop_front();
}

Conditions HostObserver::end() {
  Conditions conditions;
  if (readings_.empty()) return conditions;
  if (virtual_machine_) conditions.facts["virtual_machine"] = true;
  const Reading last = read();
  if (readings_.back().clock_mhz) {
    conditions.facts["cpu_clock_mhz_before"] = std::round(*readings_.back().clock_mhz);
  }
  if (last.clock_mhz) conditions.facts["cpu_clock_mhz_after"] = std::round(*last.clock_mhz);

  const Reading* const first = start_of_window(last);
  if (first == nullptr) return conditions;
  const auto passed = static_cast<double>(last.machine->total - first->machine->total);
  const double steal =
      100 * static_cast<double>(last.machine->steal - first->machine->steal) / passed;
  conditions.facts["steal_percent"] = std::round(10 * steal) / 10;
  if (steal >= most_steal_percent) {
    conditions.disturbances.push_back("steal " + percent(steal));
    conditions.company = true;
  }
  if (!last.own || !first->own) return conditions;
  const auto processors = static_cast<double>(processors_.size());
  const std::int64_t others = last.machine->busy - first->machine->busy - (*last.own - *first->own);
  const double busy = static_cast<double>(std::max<std::int64_t>(0, others)) / passed * processors;
  conditions.facts["other_processors"] = std::round(100 * busy) / 100;
  if (busy >= most_other_processors(processors_.size())) {
    conditions.disturbances.push_back("other processes on " + one_decimal(busy) + " processors");
    conditions.company = true;
  }
  return conditions;
}

const HostObserver::Reading* HostObserver::start_of_window(const Reading& last) const {
  if (!last.machine) return nullptr;
  const double least = least_seconds * ticks_per_second_ * static_cast<double>(processors_.size());
  for (auto reading = readings_.rbegin(); reading != readings_.rend(); ++reading) {
    if (!reading->machine) continue;
    const auto passed = static_cast<double>(last.machine->total - reading->machine->total);
    if (passed >= least) return &*reading;
  }
  return nullptr;
}

HostObserver::Reading HostObserver::read() {
  Reading reading;
  reading.machine = pace_of_ticks_.ask([this] { return machine_ticks(); });
  if (reading.machine) reading.own = own_ticks();
  reading.clock_mhz = pace_of_clock_.ask([this] { return clock_mhz(); });
  return reading;
}

std::optional<ProcessorTicks> HostObserver::machine_ticks() const {
  std::ifstream file(root_ / "proc/stat");
  ProcessorTicks sum;
  std::size_t found = 0;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream columns(line);
    std::string word;
    columns >> word;
    const auto number = processor_number(word);
    if (!number || std::ranges::find(processors_, *number) == processors_.end()) continue;
    const auto ticks = ticks_of(columns);
    if (!ticks) return std::nullopt;
    sum.busy += ticks->busy;
    sum.steal += ticks->steal;
    sum.total += ticks->total;
    ++found;
  }
  // A sandbox may list no processors, or zeros.
  if (found != processors_.size() || sum.total == 0) return std::nullopt;
  return sum;
}

std::optional<std::int64_t> HostObserver::own_ticks() const {
  std::ifstream file(root_ / "proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The second field, the program's name in parentheses, may contain any characters.
  const std::size_t bracket = line.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(bracket + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  std::int64_t user = 0;
  std::int64_t system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  return user + system;
}

std::optional<double> HostObserver::clock_mhz() const {
  double sum = 0;
  std::size_t found = 0;
  for (const int processor : processors_) {
    std::ifstream file(root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) /
                       "cpufreq/scaling_cur_freq");
    double kilohertz = 0;
    if (!(file >> kilohertz)) break;
    sum += kilohertz / 1000;
    ++found;
  }
  if (found == processors_.size()) return sum / static_cast<double>(found);

  sum = 0;
  found = 0;
  std::ifstream file(root_ / "proc/cpuinfo");
  int processor = -1;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream value(line.substr(colon + 1));
    if (line.starts_with("processor")) value >> processor;
    if (!line.starts_with("cpu MHz")) continue;
    double megahertz = 0;
    if (!(value >> megahertz)) continue;
    if (std::ranges::find(processors_, processor) == processors_.end()) continue;
    sum += megahertz;
    ++found;
  }
  if (found == 0 || sum <= 0) return std::nullopt;
  return sum / static_cast<double>(found);
}

}  // namespace benanza::harness
