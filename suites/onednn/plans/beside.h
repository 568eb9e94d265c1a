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

/// Repeats the elements of axes of extent 1, between dense tensors.
struct Repetition {
  Implementation call;
  /// Row-major floats of what it reads and writes, by the library's axes.
  Memory::desc source;
  Memory::desc target;
};
/// At most five axes, of which the last three may differ. Throws Unsupported for others.
Repetition repetition(const VariantContext& context, Dims source, Dims target);
/// The same with the last axis, which must not differ, as the channels of pixels, so that whole
/// vectors are repeated; one of the three before it may.
Repetition repetition_of_pixels(const VariantContext& context, const Dims& source,
                                const Dims& target);

}  // namespace benanza::onednn
