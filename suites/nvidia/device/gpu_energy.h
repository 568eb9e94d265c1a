#pragma once

#include "suites/harness/conditions/energy_meter.h"
#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {

/// The energy of a GPU with its memory, by NVML (Volta and later).
class GpuEnergyMeter final : public harness::EnergyMeter {
 public:
  /// `management` must outlive the meter.
  explicit GpuEnergyMeter(Management& management) : management_(management) {}

  std::optional<double> joules() override { return management_.energy_joules(); }
  /// Assumed: not measured on any GPU so far.
  double update_seconds() const override { return 0.1; }
  std::string_view source() const override { return "nvml"; }

 private:
  Management& management_;
};

}  // namespace benanza::nvidia
