#pragma once

#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// An elementwise function, in the format of the plan's call.
Beside applied(const VariantContext& context, const Eltwise& function);

/// A reorder from `outside`, where the problem has the tensor, to the format of the plan's call; of
/// the same extents.
Beside moved_from(const VariantContext& context, const Memory::desc& outside);
/// From the format of the plan's call to `outside`.
Beside moved_to(const VariantContext& context, const Memory::desc& outside);

/// Repeats the elements of axes of extent 1.
struct Repetition {
  Implementation call;
  /// What it reads and writes, in the library's extents: with axes of extent 1 in front.
  Dims source;
  Dims target;
};
/// Of dense tensors of at most five axes of which the last three may differ. Throws Unsupported for
/// others.
Repetition repetition(const VariantContext& context, Dims source, Dims target);

}  // namespace benanza::onednn
