#pragma once

#include "suites/harness/backend.h"

namespace benanza::onednn {

/// Processor, instruction set the library uses, threads, and the version of the library that is
/// loaded, not of the header compiled against.
System describe_system();

}  // namespace benanza::onednn
