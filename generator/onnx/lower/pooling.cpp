#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/lowering.h"
#include "generator/onnx/sliding_window.h"

namespace benanza::onnx::lower {
namespace {

SlidingWindow stated_window(const Site& site, const Dims& input) {
  const auto kernel = site.node().integers("kernel_shape");
  if (!kernel) throw Error("attribute \"kernel_shape\" is missing");
  return sliding_window(site.node(), spatial(input), *kernel);
}

Lowered max_pool(const Site& site) {
  if (site.has_output(1)) throw NotExpressible("positions of the maxima (output Indices)");
  const Dims& input = image_extents(site);
  Lowered lowered = measured({call(
      Pooling{.input = input, .window = stated_window(site, input).window}, {from_input(0)})});
  // The greatest of bytes is a byte of the same scale: to be measured at int8.
  if (type_bytes(site.input(0).type) == 1) lowered.types = Types::checked_by_lowering;
  return lowered;
}

Lowered average_pool(const Site& site) {
  const Dims& input = image_extents(site);
  SlidingWindow sliding = stated_window(site, input);
  PoolingMode mode = PoolingMode::average_exclude_pad;
  if (site.node().integer("count_include_pad", 0) != 0 && sliding.window.has_padding()) {
    if (std::any_of(sliding.overhang.begin(), sliding.overhang.end(),
                    [](std::int64_t extra) { return extra != 0; })) {
      // Pads count, the overhang does not: no library knows two kinds of padding.
      throw NotExpressible("count_include_pad with a window that ceil_mode lets overhang");
    }
    mode = PoolingMode::average_include_pad;
  }
  return measured(
      {call(Pooling{.input = input, .window = sliding.window, .mode = mode}, {from_input(0)})});
}

template <PoolingMode mode>
Lowered global_pool(const Site& site) {
  const Dims& input = image_extents(site);
  const Dims extents = spatial(input);
  const Dims ones(extents.size(), 1);
  return measured({call(Pooling{.input = input,
                                .window = {.kernel = extents,
                                           .pads = Dims(2 * extents.size(), 0),
                                           .strides = ones,
                                           .dilations = ones},
                                .mode = mode},
                        {from_input(0)})});
}

}  // namespace

void register_pooling(LoweringTable& table) {
  table.add("MaxPool", max_pool);
  table.add("AveragePool", average_pool);
  table.add("GlobalMaxPool", global_pool<PoolingMode::max>);
  table.add("GlobalAveragePool", global_pool<PoolingMode::average_exclude_pad>);
  // ONNX Runtime's blocked layout names the same tensors.
  table.add("com.microsoft.nchwc.MaxPool", max_pool);
  table.add("com.microsoft.nchwc.AveragePool", average_pool);
  table.add("com.microsoft.nchwc.GlobalMaxPool", global_pool<PoolingMode::max>);
  table.add("com.microsoft.nchwc.GlobalAveragePool", global_pool<PoolingMode::average_exclude_pad>);
}

}  // namespace benanza::onnx::lower
