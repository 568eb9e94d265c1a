#pragma once

#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/outcome.h"
#include "suites/harness/registration.h"
#include "suites/harness/run/name_filter.h"
#include "suites/harness/run/shard.h"

namespace benanza::harness {

/// Which of a registration's variants are wanted.
struct Selection {
  /// Empty: what the registration says.
  std::vector<Precision> precisions = {};
  /// Empty: every layout that the backend finds worth measuring.
  std::vector<Layout> layouts = {};
  AlgorithmSet algorithms = AlgorithmSet::all;
  /// Leave the layout to the library, too: where it has Layout::any and does not refuse the problem
  /// there, only that one. Means nothing if `layouts` are given.
  bool layout_of_library = false;
  /// Keys to measure instead of the registration's.
  std::vector<std::string> problems = {};
  /// Keep this many problems of every operator; 0 keeps all.
  std::size_t problems_per_operator = 0;
  bool cold = false;
  std::string filter = {};
  /// Of the problems that are left, those of one shard, each with all its variants.
  Shard shard = {};
  /// Leave out what cannot be said because there is no device, instead of throwing NoDevice.
  bool only_known = false;
};

/// One Google Benchmark registration.
struct NamedVariant {
  std::string name;
  Variant variant;
  /// Known beforehand where the library named no algorithm: unsupported, or failed. The algorithm
  /// in the name is then "none".
  Status status = Status::ok;
  std::string reason;
  /// No other algorithm is asked for: AlgorithmSet::best.
  bool first_choice = false;
};

/// problem x precision x layout x algorithm, in this order, each name once. The library is asked
/// only about problems that the filter can match. Throws Error for a key that does not parse, and
/// EngineLost, naming problem, precision and layout, if the answer took the engine down; NoDevice.
std::vector<NamedVariant> enumerate(Backend& backend, const Registration& registration,
                                    const Selection& selection);

}  // namespace benanza::harness
