#pragma once

#include <nlohmann/json_fwd.hpp>

#include "suites/harness/results_file.h"

namespace benanza {

/// The fields of a results file's context that Google Benchmark itself would write: when, where and
/// by which program, processors, caches and load.
nlohmann::ordered_json machine_context(const Writer& writer);

}  // namespace benanza
