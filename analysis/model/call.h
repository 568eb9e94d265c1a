#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/choice.h"
#include "analysis/results/measurement.h"

namespace benanza::analysis {

/// What the measurements say about one problem: a call, or why there is none.
struct Answer {
  /// Lives as long as the MeasurementSet.
  const Measurement* best = nullptr;
  /// Without a call: the library refuses every admitted variant. Otherwise measuring (again) could
  /// answer.
  bool unsupported = false;
  std::string reason{};
};

/// Does `choice`, at `precision` instead of its own, admit the measurement?
bool admits(const Choice& choice, Precision precision, const Measurement& measurement);

/// The call that `choice` takes for the problem, at `precision` instead of its own.
Answer answer(std::string_view key, const MeasurementSet& measurements, const Choice& choice,
              Precision precision);

}  // namespace benanza::analysis
