#pragma once

#include <cstddef>
#include <memory>

#include "core/problem/ops/copy.h"
#include "suites/harness/backend.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {

/// The movement of a tensor from the memory of one format to that of another, in the elements'
/// row-major order, which the two may split into axes differently. Throws Unsupported if there is
/// no common refinement of their extents.
Copy movement_between(const TensorFormat& from, const TensorFormat& to);

/// The call of `backend` that does this fastest, of all its ways for the copy, timed here. As
/// Backend::conversion().
std::unique_ptr<harness::Primitive> make_conversion(harness::Backend& backend,
                                                    const harness::MemoryFormat& from,
                                                    std::byte* source,
                                                    const harness::MemoryFormat& to,
                                                    std::byte* target);

}  // namespace benanza::nvidia
