#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

// Conversions to 8 bits and back, elementwise or as a product with an identity matrix.
namespace benanza::cudnn {
namespace {

struct Conversion {
  Precision from;
  Precision to;
  float factor;
};

Conversion conversion_of(const Quantization& shape, Precision precision) {
  if (precision == Precision::int8 || precision == Precision::fp8) {
    throw harness::Unsupported("both sides would have 8 bits");
  }
  const Precision bytes = shape.fp8 ? Precision::fp8 : Precision::int8;
  return shape.writes_bytes() ? Conversion{precision, bytes, 8}
                              : Conversion{bytes, precision, 0.125F};
}

/// One scale, or one for each channel of the axis, in fp32: a factor of each element, whose product
/// is rounded to the type of the result.
std::vector<GraphCall> quantization_graphs(const Quantization& shape,
                                           const harness::Variant& variant) {
  const auto [from, to, factor] = conversion_of(shape, variant.precision);
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
  const auto scale = shape.axis < 0 ? call.graph().scalar(factor, formats[0].dims.size())
                                    : call.graph().filled(formats[1], factor);
  call.graph().pointwise({CUDNN_POINTWISE_MUL}, call.bound[0], scale, call.bound[1]);
  return found;
}

/// Rows of so many elements, each of which has one scale.
std::vector<std::int64_t> widths_of(const Quantization& shape) {
  const std::int64_t count = element_count(shape.input);
  std::vector<std::int64_t> widths = identity_widths(count);
  if (shape.axis < 0) return widths;
  const auto axis = static_cast<std::ptrdiff_t>(shape.axis);
  const Dims before(shape.input.begin(), shape.input.begin() + axis + 1);
  const std::int64_t rows = shape.input[static_cast<std::size_t>(axis)];
  if (element_count(before) != rows) return {};
  std::erase_if(widths, [&](std::int64_t width) { return width * rows != count; });
  return widths;
}

std::vector<GraphCall> quantization_products(const Quantization& shape,
                                             const harness::Variant& variant) {
  const auto [from, to, factor] = conversion_of(shape, variant.precision);
  if (from == Precision::int8 || element_bytes(variant.precision) != 2) {
    throw harness::Unsupported("products round fp32, and have no results of 16 bits for int8");
  }
  const std::int64_t count = element_count(shape.input);
  std::vector<GraphCall> found;
  for (const std::int64_t width : widths_of(shape)) {
    GraphCall& call = found.emplace_back();
    call.prefix = "product" + std::to_string(width) + ".";
    const nvidia::TensorFormat rows = rows_of(from, count, width);
    call.inputs = {rows};
    call.output = rows_of(to, count, width);
    OperationGraph& graph = call.graph();
    call.bound = {graph.tensor(rows, graph_type(from)), graph.tensor(call.output, graph_type(to))};
    const auto scale = shape.axis < 0
                           ? graph.scalar(factor, rows.dims.size())
                           : graph.filled(rows_of(Precision::fp32, count / width, 1), factor);
    identity_product(graph, rows, call.bound[0], scale, call.bound[1]);
  }
  if (found.empty()) throw harness::Unsupported("no rows of 32, 64 or 128 elements with a scale");
  return found;
}

std::vector<Layout> quantization_layouts(const Quantization&) { return {Layout::plain}; }

}  // namespace

void register_quantization(WayTable& table) {
  table.add(engines_of<Quantization>(quantization_layouts, quantization_products));
  table.add(engines_of<Quantization>(quantization_layouts, quantization_graphs));
}

}  // namespace benanza::cudnn
