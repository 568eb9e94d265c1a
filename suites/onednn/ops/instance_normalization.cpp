#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {
namespace {

/// The library's batch normalization, with the statistics of the batch itself: an instance is a
/// channel of a batch of one.
Plan plan(const InstanceNormalization& shape, const Setting& setting) {
  using Forward = dnnl::batch_normalization_forward;
  if (setting.integers()) throw Unsupported("int8 instancenorm needs a result scale of its own");
  Dims dims = shape.input;
  dims[1] *= dims[0];
  dims[0] = 1;
  auto flags = dnnl::normalization_flags::none;
  if (shape.affine) {
    flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  }
  const Forward::desc descriptor(dnnl::prop_kind::forward_inference, setting.tensor(dims),
                                 shape.epsilon, flags);
  Plan plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
            .operands = {{DNNL_ARG_SRC, floats(dims)}},
            .result = {DNNL_ARG_DST, floats(dims)}};
  if (shape.affine) {
    const auto for_every_image = [images = shape.input[0]](std::span<const float> values) {
      std::vector<float> repeated;
      for (std::int64_t image = 0; image < images; ++image) {
        repeated.insert(repeated.end(), values.begin(), values.end());
      }
      return repeated;
    };
    plan.operands.push_back({DNNL_ARG_SCALE, floats({dims[1]}), for_every_image});
    plan.operands.push_back({DNNL_ARG_SHIFT, floats({dims[1]}), for_every_image});
  }
  return plan;
}

}  // namespace

/// Of several images, the channels of all lie one after the other only where they are outermost.
Solver solver(const InstanceNormalization& shape, const Problem&) {
  std::vector<Layout> layouts = channel_layouts(shape.input);
  if (shape.input[0] > 1 && layouts.front() != Layout::plain) layouts = {Layout::nchw};
  return solver_of_one(layouts, [shape](const Setting& setting) { return plan(shape, setting); });
}

}  // namespace benanza::onednn
