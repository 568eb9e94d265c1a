#pragma once

#include "suites/harness/primitive.h"

namespace benanza::harness {

/// The library has the call, which is known to compute wrong results: it is not made. The row
/// becomes `unsupported`, with a fact (core/results_file/row.h).
class KnownDefect : public Unsupported {
 public:
  using Unsupported::Unsupported;
};

}  // namespace benanza::harness
