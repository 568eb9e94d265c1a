#include "suites/cudnn/ops/binary.h"

#include <cuda_runtime_api.h>

#include "core/problem/text.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/int8_scale.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t maximum_rank = 5;

bool is_sum(const Binary& shape) {
  return shape.kind == BinaryKind::add || shape.kind == BinaryKind::sub;
}

cudnnOpTensorOp_t binary_operation(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::add:
    case BinaryKind::sub:
      return CUDNN_OP_TENSOR_ADD;
    case BinaryKind::mul:
      return CUDNN_OP_TENSOR_MUL;
    case BinaryKind::max:
      return CUDNN_OP_TENSOR_MAX;
    case BinaryKind::min:
      return CUDNN_OP_TENSOR_MIN;
    case BinaryKind::div:
      throw harness::Unsupported("cuDNN's tensor operations have no division");
    case BinaryKind::prelu:
      throw harness::Unsupported("cuDNN has no prelu");
    case BinaryKind::power:
      throw harness::Unsupported("cuDNN's tensor operations have no power");
    default:
      break;
  }
  throw harness::Unsupported("cuDNN's tensor operations do not compare");
}

/// cudnnOpTensor: computes a new result from both operands.
struct OpTensorCall {
  BinaryCall call;
  TensorDescriptor full;
  TensorDescriptor other;
  OpTensorDescriptor op;

  void operator()(const CudnnPrimitive& primitive) const {
    op_tensor(primitive.handle(), op, {full, primitive.input(call.full), call.full_factor},
              {other, primitive.input(call.other), call.other_factor}, full, primitive.output());
  }
};

/// cudnnAddTensor: adds to the full operand in place, as a framework adds a bias. poison_output()
/// copies that operand into the result's memory; timed calls keep adding to the same memory.
class AddTensorPrimitive final : public CudnnPrimitive {
 public:
  AddTensorPrimitive(const Request& request, const BinaryCall& call)
      : CudnnPrimitive(request, dense_setup(request.variant), Interface::functions),
        call_(scaled(call, scale())),
        bytes_(nvidia::span_bytes(call.full_format)),
        full_(make_tensor(call.full_format)),
        other_(make_tensor(call.other_format)) {}

  void poison_output() override {
    nvidia::check(cudaMemcpyAsync(output(), input(call_.full), static_cast<std::size_t>(bytes_),
                                  cudaMemcpyDeviceToDevice, stream()),
                  "cudaMemcpyAsync");
  }

  void run() override {
    BENANZA_CUDNN(cudnnAddTensor, handle(), &call_.other_factor, other_.get(), input(call_.other),
                  &call_.full_factor, full_.get(), output());
  }

 private:
  BinaryCall call_;
  std::int64_t bytes_;
  TensorDescriptor full_;
  TensorDescriptor other_;
};

Ways binary_ways(Library& library, const Binary& shape, const harness::Variant& prototype) {
  Ways ways;
  for (const BinaryAlgorithm& one : binary_algorithms(shape, prototype.layout)) {
    const auto make = [one, shape](const Request& request) -> std::unique_ptr<harness::Primitive> {
      const auto& [problem, precision, layout, algorithm, strides] = request.variant;
      const BinaryCall call = map_binary(shape, precision, layout, one.folding);
      if (one.in_place) return std::make_unique<AddTensorPrimitive>(request, call);
      const float scale = precision == Precision::int8 ? harness::int8_scale(problem) : 1.0F;
      return call_of(request, dense_setup(request.variant),
                     OpTensorCall{scaled(call, scale), make_tensor(call.full_format),
                                  make_tensor(call.other_format), make_op_tensor(call.op)});
    };
    ways.push_back(nvidia::way_of(library, prototype, one.name, make, {.in_place = one.in_place}));
  }
  return ways;
}

}  // namespace

BinaryCall map_binary(const Binary& shape, Precision precision, Layout layout, Folding folding) {
  BinaryCall call;
  call.op = binary_operation(shape.kind);
  const Dims output = shape.output();
  const float b_factor = shape.kind == BinaryKind::sub ? -1.0F : 1.0F;
  Dims full;
  Dims other;
  if (shape.a == output) {
    call.other_factor = b_factor;
    full = shape.a;
    other = shape.b;
  } else if (shape.b == output) {
    call.full = 1;
    call.other = 0;
    call.full_factor = b_factor;
    full = shape.b;
    other = shape.a;
  } else {
    throw harness::Unsupported("cuDNN broadcasts one of two operands, not both");
  }
  if (folding == Folding::folded || full.size() > maximum_rank) {
    std::vector<Dims> merged =
        merge_axes({memory_order(full, layout), memory_order(other, layout)});
    full = std::move(merged[0]);
    other = std::move(merged[1]);
    layout = Layout::plain;
  }
  call.full_format = dense(precision, full, layout);
  call.other_format = dense(precision, other, layout);
  return call;
}

BinaryCall scaled(BinaryCall call, float factor) {
  call.full_factor *= factor;
  if (call.op != CUDNN_OP_TENSOR_MUL) call.other_factor *= factor;
  return call;
}

std::vector<BinaryAlgorithm> binary_algorithms(const Binary& shape, Layout layout) {
  binary_operation(shape.kind);
  std::vector<BinaryAlgorithm> algorithms{{"op_tensor"}};
  if (is_sum(shape)) algorithms.push_back({.name = "add_tensor", .in_place = true});
  if (layout == Layout::nhwc && shape.a != shape.b) {
    for (std::size_t i = 0, count = algorithms.size(); i < count; ++i) {
      algorithms.push_back(algorithms[i]);
      algorithms.back().name += ".folded";
      algorithms.back().folding = Folding::folded;
    }
  }
  return algorithms;
}

void register_binary(WayTable& table) {
  const auto layouts = [](const Binary& shape) { return image_layouts(shape.output()); };
  table.add(functions<Binary>(layouts, binary_ways));
  table.add(engines_of<Binary>(layouts, binary_graphs, Steps::in_graph));
}

std::vector<GraphCall> binary_graphs(const Binary& shape, const harness::Variant& variant) {
  std::vector<GraphCall> found;
  found.push_back(elementwise_graph(variant));
  if (shape.kind >= BinaryKind::eq) {
    found.push_back(elementwise_graph(variant, {.comparison = Comparison::stored}));
    found.back().prefix = "stored.";
  }
  return found;
}

}  // namespace benanza::cudnn
