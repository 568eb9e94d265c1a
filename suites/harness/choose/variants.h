#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/choose/selection.h"
#include "suites/harness/outcome.h"
#include "suites/harness/registration.h"

namespace benanza::harness {

/// Which of a registration's variants to measure.
struct Selection {
  /// Empty: the registration's.
  std::vector<Precision> precisions = {};
  /// Empty: every layout that the backend considers worth measuring.
  std::vector<Layout> layouts = {};
  AlgorithmSet algorithms = AlgorithmSet::all;
  /// The only algorithm to measure. With '*' (any text) or '?' (any letter): those of `algorithms`
  /// whose names match; otherwise the library is not asked what it has. Empty: all.
  std::string algorithm = {};
  /// Lets the library choose the layout: if it supports Layout::any for the problem, only that is
  /// measured. Ignored if `layouts` are given.
  bool layout_of_library = false;
  /// Keys of problems to measure instead of the registration's.
  std::vector<std::string> problems = {};
  /// Like Registration::stored_problems; used if there are `problems` or these.
  std::map<Precision, std::vector<std::string>> stored_problems = {};
  /// Names of variants to measure in addition, as far as they are of the backend and of a selected
  /// problem, precision and layout. Ignored by AlgorithmSet::best.
  std::vector<std::string> recorded = {};
  /// Maximum number of problems of each operator; 0: no limit.
  std::size_t problems_per_operator = 0;
  bool cold = false;
  std::string filter = {};
  /// Which of the remaining problems to measure; each keeps all its variants.
  Shard shard = {};
  /// Skip variants that cannot be determined without a device instead of throwing NoDevice.
  bool only_known = false;
};

/// The keys of the selected problems, each with every precision that it is measured at. Throws
/// Error for a text that is no key.
std::set<std::pair<std::string, Precision>> asked_for(const Registration& registration,
                                                      const Selection& selection);

/// One Google Benchmark registration.
struct NamedVariant {
  std::string name;
  Variant variant;
  /// Unsupported or failed if the library named no algorithm; the algorithm in the name is then
  /// "none".
  Status status = Status::ok;
  std::string reason;
  /// No other algorithm is requested: AlgorithmSet::best.
  bool first_choice = false;
};

/// Returns problem x precision x layout x algorithm, in this order and without duplicate names. The
/// library is queried only for problems that the filter can match. Throws Error for a key that does
/// not parse; EngineLost, naming problem, precision and layout, if a query made the engine
/// unusable; and NoDevice.
std::vector<NamedVariant> enumerate(Backend& backend, const Registration& registration,
                                    const Selection& selection);

}  // namespace benanza::harness
