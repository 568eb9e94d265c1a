#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace benanza::harness {

/// A counter of the energy that the measured device has used.
class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  /// Joules since an arbitrary moment; empty if the counter cannot be read.
  virtual std::optional<double> joules() = 0;
  /// A reading may be this old, in seconds.
  virtual double update_seconds() const = 0;
  /// "nvml", "rapl".
  virtual std::string_view source() const = 0;
};

/// The energy of all processor packages, by Linux' powercap interface (RAPL: Intel, AMD). Most
/// systems let only root read it, and virtual machines rarely have it.
class RaplMeter final : public EnergyMeter {
 public:
  /// `root`: the root of the file system, for tests.
  explicit RaplMeter(const std::filesystem::path& root = "/");

  /// True if there is a readable package.
  bool is_available() const { return !packages_.empty(); }
  /// Must be called at least once per wrap of the counters, which takes minutes.
  std::optional<double> joules() override;
  double update_seconds() const override { return 1e-3; }
  std::string_view source() const override { return "rapl"; }

 private:
  struct Package {
    std::filesystem::path counter;
    /// In microjoules; the counter wraps to 0 after it.
    std::int64_t range = 0;
    std::int64_t last = 0;
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

}  // namespace benanza::harness
