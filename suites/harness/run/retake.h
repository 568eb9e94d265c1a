#pragma once

#include <cstdint>
#include <span>

#include "suites/harness/choose/variants.h"
#include "suites/harness/run/guarded_runner.h"
#include "suites/harness/run/ledger.h"

namespace benanza::harness {

/// Measures rows of the fastest variants once more that had company, each once, and replaces those
/// that then have none. Does nothing where most had company.
void retake_crowded(std::span<const NamedVariant> variants, std::int64_t repetitions,
                    GuardedRunner& runner, Ledger& ledger);

}  // namespace benanza::harness
