#pragma once

#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/input/results.h"
#include "analysis/render/page.h"
#include "record/store/recording.h"
#include "record/views/device_profile.h"

namespace benanza::analysis {

/// A recorded call of a library, beside what a suite measured of its problem at its precision and
/// layout. Measurements live as long as their set.
struct MeasuredCall {
  LibraryCallTime call{};
  Precision precision = Precision::fp32;
  /// Of the algorithm that was recorded, with warm caches; null where it was not measured. Where
  /// the log does not tell the algorithm (cuBLASLt), of a call with the same kernels.
  const Measurement* same = nullptr;
  /// The same with cold caches. In the program, a call finds some of its data in them.
  const Measurement* same_cold = nullptr;
  /// With warm caches. Null where nothing was measured.
  const Measurement* fastest = nullptr;

  double mean_seconds() const { return call.seconds / static_cast<double>(call.calls); }
  /// What all of these calls would save. Not below 0.
  double saved_seconds() const;
};

/// In the order of `calls`; those whose log tells no type of data are left out.
std::vector<MeasuredCall> measured_calls(const std::vector<LibraryCallTime>& calls,
                                         const MeasurementSet& measurements);

/// "of 59.2 ms in known calls 98.1% have a measurement of the recorded algorithm, which takes 1.012
/// of the recorded time in the median, 0.993 in sum; with cold caches 1.040 and 1.032; the fastest
/// would save 3.4 ms".
std::string measured_text(const std::vector<MeasuredCall>& calls);

/// A row for each, those that would save most first; `name` is the sheet's in JSON.
Sheet measured_sheet(const std::vector<MeasuredCall>& calls, std::string name);

/// The sums, for programs.
nlohmann::ordered_json measured_facts(const std::vector<MeasuredCall>& calls);

/// The recorded calls whose log states their time (oneDNN's) and that are one problem of the
/// suites, with its key, precision and layout in place of the log's words. Sorted by time,
/// descending.
std::vector<LibraryCallTime> host_calls(const std::vector<CallTotal>& totals);

/// "recorded with oneDNN v2.6.3, measured with 3.2.1"; empty if the versions are equal, or one of
/// them is not known. `libraries`: the recording's, in their own words.
std::string other_version(const std::vector<std::string>& libraries, const Results& results);

}  // namespace benanza::analysis
