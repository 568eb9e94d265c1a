#pragma once

#include <optional>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// The energy of a call that is repeated without a pause.
struct Energy {
  /// Of the whole device, idle power included.
  double joules_per_call = 0;
  double watts = 0;
  /// Wall time between the two readings of the meter.
  double window_seconds = 0;
  /// Share of the window inside timed regions; the rest is spent between samples.
  double busy_share = 0;
  /// How far off the joules may be because a reading may be one update of the meter old, relative
  /// to them.
  double relative_error = 0;
};

/// Repeats the primitive for `seconds` of timed regions, after a quarter of that for the power to
/// settle, and reads the meter before and after. Empty if the meter cannot be read. Throws what the
/// primitive throws.
std::optional<Energy> measure_energy(Primitive& primitive, Stopwatch& stopwatch, EnergyMeter& meter,
                                     double seconds);

}  // namespace benanza::harness
