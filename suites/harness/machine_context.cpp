#include "suites/harness/machine_context.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace benanza::harness {
namespace {

/// ISO 8601, local time with its offset: "2026-03-01T12:00:00+01:00".
std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return {};
  char time[32];
  char offset[8];  // "+0100"
  std::strftime(time, sizeof(time), "%FT%T", &local);
  std::strftime(offset, sizeof(offset), "%z", &local);
  const std::string_view zone = offset;
  std::string text = time;
  text.append(zone.substr(0, 3)).append(":").append(zone.substr(3));
  return text;
}

}  // namespace

nlohmann::ordered_json machine_context(const Writer& writer) {
  const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
  nlohmann::ordered_json context;
  context["date"] = now();
  context["host_name"] = benchmark::SystemInfo::Get().name;
  context["executable"] = writer.executable;
  context["num_cpus"] = cpu.num_cpus;
  constexpr double megahertz = 1e6;
  context["mhz_per_cpu"] = static_cast<long>(cpu.cycles_per_second / megahertz + 0.5);
  if (cpu.scaling != benchmark::CPUInfo::UNKNOWN) {
    context["cpu_scaling_enabled"] = cpu.scaling == benchmark::CPUInfo::ENABLED;
  }
  context["caches"] = nlohmann::ordered_json::array();
  for (const auto& cache : cpu.caches) {
    nlohmann::ordered_json entry;
    entry["type"] = cache.type;
    entry["level"] = cache.level;
    entry["size"] = cache.size;
    entry["num_sharing"] = cache.num_sharing;
    context["caches"].push_back(entry);
  }
  context["load_avg"] = cpu.load_avg;
#ifdef NDEBUG
  context["library_build_type"] = "release";
#else
  context["library_build_type"] = "debug";
#endif
  for (const auto& [name, value] : writer.context) context[name] = value;
  return context;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return "unknown";
}

std::string large_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  return line.empty() || line.find("[never]") != std::string::npos ? "no" : "yes";
}

std::string bytes_text(double value) {
  constexpr std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 || value >= 100 ? "%.0f %s" : "%.3g %s", value,
                units[unit]);
  return text.data();
}

}  // namespace benanza::harness
