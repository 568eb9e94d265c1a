#pragma once

#include <memory>

#include "suites/harness/operands.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {

/// A tensor's format in the library, and the layout of the problem's floats.
struct Formats {
  Memory::desc in_library;
  Memory::desc values;
};

/// Named by extents, strides and blocks; no name if the problem's elements lie in their own order.
harness::MemoryFormat memory_format(const Formats& formats);
/// Of a tensor whose elements are rearranged when they are uploaded: like no other, and not to be
/// converted.
harness::MemoryFormat rearranged_format(const Formats& formats);

/// The library's reorder of the tensor at `source` to `target`; two, if the calls see different
/// extents. `from` may name a tensor in blocks and describe a part of it. Throws Unsupported.
std::unique_ptr<harness::Primitive> make_conversion(
    const dnnl::engine& engine, const dnnl::stream& stream, const harness::MemoryFormat& from,
    std::byte* source, const harness::MemoryFormat& to, std::byte* target);

}  // namespace benanza::onednn
