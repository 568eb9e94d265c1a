#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/ways.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// One scale, or one for each channel of the axis, in fp32: a factor of each element, whose product
/// is rounded to the type of the result.
std::vector<GraphCall> quantization_graphs(const Quantization& shape,
                                           const harness::Variant& variant) {
  if (variant.precision == Precision::int8 || variant.precision == Precision::fp8) {
    throw harness::Unsupported("both sides would have 8 bits");
  }
  const Precision bytes = shape.fp8 ? Precision::fp8 : Precision::int8;
  const Precision from = shape.writes_bytes() ? variant.precision : bytes;
  const Precision to = shape.writes_bytes() ? bytes : variant.precision;
  Dims scales(shape.input.size(), 1);
  if (shape.axis >= 0) {
    const auto axis = static_cast<std::size_t>(shape.axis);
    scales[axis] = shape.input[axis];
  }
  const auto formats =
      merged_formats({from, Precision::fp32, to}, {shape.input, scales, shape.input});
  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.inputs = {formats[0]};
  call.output = formats[2];
  const auto tensor = [&](const nvidia::TensorFormat& format) {
    return call.graph().tensor(format, graph_type(format.precision));
  };
  call.bound = {tensor(formats[0]), tensor(formats[2])};
  const float factor = shape.writes_bytes() ? 8 : 0.125F;
  const auto scale = shape.axis < 0 ? call.graph().scalar(factor, formats[0].dims.size())
                                    : call.graph().filled(formats[1], factor);
  call.graph().pointwise({CUDNN_POINTWISE_MUL}, call.bound[0], scale, call.bound[1]);
  return found;
}

std::vector<Layout> quantization_layouts(const Quantization&) { return {Layout::plain}; }

}  // namespace

void register_quantization(WayTable& table) {
  table.add(engines_of<Quantization>(quantization_layouts, quantization_graphs));
}

}  // namespace benanza::cudnn
