#pragma once

#include "core/nvidia/cupti.h"

namespace benanza::record {

/// Loads CUPTI from the loader's search path, else from its location at build time. It is never
/// destroyed. Throws nvidia::ProfilerUnavailable.
const nvidia::Cupti* find_cupti();

}  // namespace benanza::record
