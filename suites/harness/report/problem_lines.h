#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"

namespace benanza::harness {

/// A line for each problem and precision, in the order of `variants`: key, precision, the time of
/// the fastest variant and which it is, how many there are, and how many have no time for which
/// reason. Of the first `repetitions` rows of each.
std::string problem_lines(std::span<const NamedVariant> variants, const ResultStore& store,
                          std::int64_t repetitions);

}  // namespace benanza::harness
