#include "suites/cudnn/ops/binary/binary.h"

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "core/problem/merge_axes.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t maximum_rank = 5;
constexpr std::string_view add_tensor = "add_tensor";
constexpr std::string_view folded_suffix = ".folded";

bool is_sum(const Binary& shape) {
  return shape.kind == BinaryKind::add || shape.kind == BinaryKind::sub;
}

cudnnOpTensorOp_t operation(BinaryKind kind) {
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
class OpTensorPrimitive final : public CudnnPrimitive {
 public:
  OpTensorPrimitive(Library& library, const harness::Variant& variant, const BinaryCall& call)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        call_(scaled(call, scale())),
        full_(make_tensor(call.full_format)),
        other_(make_tensor(call.other_format)),
        op_(make_op_tensor(call.op)) {}

  void run() override {
    op_tensor(handle(), op_, {full_, input(call_.full), call_.full_factor},
              {other_, input(call_.other), call_.other_factor}, full_, output());
  }

 private:
  BinaryCall call_;
  TensorDescriptor full_;
  TensorDescriptor other_;
  OpTensorDescriptor op_;
};

/// cudnnAddTensor: adds to the full operand in place, as a framework adds a bias. poison_output()
/// copies that operand into the result's memory; timed calls keep adding to the same memory.
class AddTensorPrimitive final : public CudnnPrimitive {
 public:
  AddTensorPrimitive(Library& library, const harness::Variant& variant, const BinaryCall& call)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
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

std::unique_ptr<harness::Primitive> create(Library& library, const Binary& shape,
                                           const harness::Variant& variant) {
  const std::string_view algorithm = variant.algorithm;
  const auto folding = algorithm.ends_with(folded_suffix) ? Folding::folded : Folding::none;
  const BinaryCall call = map_binary(shape, variant.precision, variant.layout, folding);
  if (algorithm.starts_with(add_tensor)) {
    return std::make_unique<AddTensorPrimitive>(library, variant, call);
  }
  return std::make_unique<OpTensorPrimitive>(library, variant, call);
}

}  // namespace

BinaryCall map_binary(const Binary& shape, Precision precision, Layout layout, Folding folding) {
  BinaryCall call;
  call.op = operation(shape.kind);
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

std::vector<harness::Algorithm> binary_algorithms(const Binary& shape, Layout layout) {
  operation(shape.kind);
  std::vector<harness::Algorithm> algorithms{"op_tensor"};
  if (is_sum(shape)) algorithms.emplace_back(add_tensor);
  if (layout == Layout::nhwc && shape.a != shape.b) {
    for (std::size_t i = 0, count = algorithms.size(); i < count; ++i) {
      algorithms.push_back(algorithms[i] + std::string(folded_suffix));
    }
  }
  return algorithms;
}

void register_binary(SolverTable& table) {
  const auto layouts = [](const Binary& shape) { return image_layouts(shape.output()); };
  table.add<Binary>(
      {.layouts = layouts,
       .algorithms =
           [](Library&, const Binary& shape, const harness::Variant& prototype,
              harness::AlgorithmSet) { return binary_algorithms(shape, prototype.layout); },
       .create = create,
       .owns = is_call});
  table.add(region_solver<Binary>(layouts, binary_graphs));
}

}  // namespace benanza::cudnn
