#pragma once

#include "suites/harness/backend.h"

namespace benanza::onednn {

/// Returns the processor, the instruction set that the library uses, the number of threads, and the
/// version of the loaded library (not of the header).
System describe_system();

}  // namespace benanza::onednn
