#include <stdexcept>

#include "suites/onednn/operators.h"
#include "suites/onednn/window.h"

namespace benanza::onednn {
namespace {

dnnl::algorithm algorithm(PoolingMode mode) {
  switch (mode) {
    case PoolingMode::max:
      return dnnl::algorithm::pooling_max;
    case PoolingMode::average_include_pad:
      return dnnl::algorithm::pooling_avg_include_padding;
    case PoolingMode::average_exclude_pad:
      return dnnl::algorithm::pooling_avg_exclude_padding;
  }
  throw std::logic_error("unknown pooling mode");
}

}  // namespace

Solver solver(const Pooling& shape, const Problem&) {
  return solver_of_one(channel_layouts(shape.input), [shape](const Setting& setting) {
    using Forward = dnnl::pooling_v2_forward;
    const Window& window = shape.window;
    const LibraryWindow in_library(window);
    const Forward::desc descriptor(dnnl::prop_kind::forward_inference, algorithm(shape.mode),
                                   setting.tensor(shape.input), setting.tensor(shape.output()),
                                   window.strides, window.kernel, in_library.gaps,
                                   in_library.begin_pads, in_library.end_pads);
    return Plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
                .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                .result = {DNNL_ARG_DST, floats(shape.output())}};
  });
}

}  // namespace benanza::onednn
