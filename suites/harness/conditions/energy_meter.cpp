#include "suites/harness/conditions/energy_meter.h"

#include <fstream>
#include <string>

namespace benanza::harness {
namespace {

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
  std::int64_t value = 0;
  if (!(std::ifstream(file) >> value) || value < 0) return std::nullopt;
  return value;
}

std::string word_in(const std::filesystem::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

}  // namespace

RaplMeter::RaplMeter(const std::filesystem::path& root) {
  std::error_code none;
  for (const auto& zone : std::filesystem::directory_iterator(root / "sys/class/powercap", none)) {
    // Other zones are parts of a package, or the whole platform.
    if (!word_in(zone.path() / "name").starts_with("package-")) continue;
    const auto last = number_in(zone.path() / "energy_uj");
    const auto range = number_in(zone.path() / "max_energy_range_uj");
    if (last && range) {
      packages_.push_back({.counter = zone.path() / "energy_uj", .range = *range, .last = *last});
    }
  }
}

std::optional<double> RaplMeter::joules() {
  constexpr double per_microjoule = 1e-6;
  if (!is_available()) return std::nullopt;
  for (Package& package : packages_) {
    const auto now = number_in(package.counter);
    if (!now) return std::nullopt;
    const bool has_wrapped = *now < package.last;
    const std::int64_t used = *now - package.last + (has_wrapped ? package.range : 0);
    joules_ += static_cast<double>(used) * per_microjoule;
    package.last = *now;
  }
  return joules_;
}

}  // namespace benanza::harness
