#pragma once

#include <optional>
#include <string_view>

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

}  // namespace benanza::harness
