#include "generator/onnx/operators/shared/calls.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "core/problem/ops/rotary.h"
#include "generator/onnx/operators/shared/sliding_window.h"

namespace benanza::onnx {
namespace {

bool commutes(BinaryKind kind) {
  return kind == BinaryKind::add || kind == BinaryKind::mul || kind == BinaryKind::max ||
         kind == BinaryKind::min;
}

/// Gives the batches equal rank, removes axes that are 1 in both, and merges adjacent axes that
/// broadcast alike, so that equal products become equal problems.
void merge_batches(Dims& a, Dims& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  Dims merged_a;
  Dims merged_b;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) {
      throw Error("batches " + join(a, 'x') + " and " + join(b, 'x') + " do not broadcast");
    }
    if (a[axis] == 1 && b[axis] == 1) continue;
    const bool joins = !merged_a.empty() && (merged_a.back() == 1) == (a[axis] == 1) &&
                       (merged_b.back() == 1) == (b[axis] == 1);
    if (joins) {
      merged_a.back() *= a[axis];
      merged_b.back() *= b[axis];
    } else {
      merged_a.push_back(a[axis]);
      merged_b.push_back(b[axis]);
    }
  }
  a = merged_a;
  b = merged_b;
}

}  // namespace

std::vector<std::int64_t> positions(const View& view) {
  std::vector<std::int64_t> result;
  const std::int64_t count = element_count(view.dims);
  result.reserve(at(count));
  Dims index(view.dims.size(), 0);
  std::int64_t position = view.offset;
  for (std::int64_t done = 0; done < count; ++done) {
    result.push_back(position);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      position += view.strides[axis];
      if (++index[axis] < view.dims[axis]) break;
      position -= index[axis] * view.strides[axis];
      index[axis] = 0;
    }
  }
  return result;
}

View broadcast_view(const Dims& dims, const Dims& target) {
  if (dims.size() > target.size()) throw Error(join(dims, 'x') + " does not broadcast");
  const std::size_t leading = target.size() - dims.size();
  const Dims dense = dense_strides(dims);
  View view{target, Dims(target.size(), 0), 0};
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 1) continue;
    if (dims[axis] != target[leading + axis]) {
      throw Error(join(dims, 'x') + " does not broadcast to " + join(target, 'x'));
    }
    view.strides[leading + axis] = dense[axis];
  }
  return view;
}

View dense_view(const Dims& dims) { return {dims, dense_strides(dims), 0}; }

Literal pick(const Literal& literal, const std::vector<std::int64_t>& from) {
  return std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> picked;
        picked.reserve(from.size());
        for (const std::int64_t position : from) picked.push_back(values.at(at(position)));
        return picked;
      },
      literal);
}

Dims all_axes(std::size_t rank) {
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::vector<Call> Rotation::calls(const std::vector<Source>& operands) const {
  const std::int64_t size = rows.back();
  const std::int64_t rotated = 2 * table.back();
  if (rotated > size || rotated == 0) {
    throw Error("rotates " + std::to_string(rotated) + " elements of rows of " +
                std::to_string(size));
  }
  Rotary shape{.input = rows, .table = table, .interleaved = interleaved};
  shape.input.back() = rotated;
  std::vector<Call> calls{call(shape, operands)};
  if (rotated == size) return calls;
  View rest{rows, dense_strides(rows), rotated};
  rest.dims.back() = size - rotated;
  calls.push_back(copy_call(rest, rest));
  calls.back().operands = {operands.front()};
  for (Call& part : calls) part.writes_part = true;
  return calls;
}

Call copy_call(const View& from, const View& to, int output) {
  const Copy copy{.dims = from.dims, .from = from.strides, .to = to.strides};
  Call result = call(copy.canonical(), {from_input(0)});
  result.from_offset = from.offset;
  result.to_offset = to.offset;
  result.output = output;
  return result;
}

Call proxy_copy(const NodeView& node, std::int64_t elements, int input) {
  const bool enough = element_count(node.shape(static_cast<std::size_t>(input))) >= elements;
  Call result = call(Copy{.dims = {elements}, .from = {enough ? 1 : 0}, .to = {1}}.canonical(),
                     {from_input(input)});
  result.is_proxy = true;
  return result;
}

ElementwiseOperand operand_of(const NodeView& node, std::size_t index, Dims dims) {
  return {std::move(dims), node.input(index).constant, from_input(index)};
}

ElementwiseOperand operand_of(const NodeView& node, std::size_t index) {
  return operand_of(node, index, node.shape(index));
}

Call elementwise_call(BinaryKind kind, ElementwiseOperand a, ElementwiseOperand b) {
  const std::size_t rank = std::max({a.dims.size(), b.dims.size(), std::size_t{1}});
  for (ElementwiseOperand* operand : {&a, &b}) {
    operand->dims.insert(operand->dims.begin(), rank - operand->dims.size(), 1);
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (a.dims[axis] != b.dims[axis] && a.dims[axis] != 1 && b.dims[axis] != 1) {
      throw Error(join(a.dims, 'x') + " and " + join(b.dims, 'x') + " do not broadcast");
    }
  }
  if (commutes(kind)) {
    const std::int64_t a_count = element_count(a.dims);
    const std::int64_t b_count = element_count(b.dims);
    if (a_count < b_count || (a_count == b_count && a.constant && !b.constant)) std::swap(a, b);
  }
  return {.problem = {Binary{.kind = kind, .a = a.dims, .b = b.dims, .constant_b = b.constant}, {}},
          .operands = {a.source, b.source}};
}

Dims broadcast_dims(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()), 1);
  for (const Dims* operand : {&a, &b}) {
    const std::size_t leading = dims.size() - operand->size();
    for (std::size_t axis = 0; axis < operand->size(); ++axis) {
      std::int64_t& extent = dims[leading + axis];
      if (extent == 1) {
        extent = (*operand)[axis];
      } else if ((*operand)[axis] != 1 && (*operand)[axis] != extent) {
        throw Error(join(a, 'x') + " and " + join(b, 'x') + " do not broadcast");
      }
    }
  }
  return dims;
}

bool are_unsigned_bytes(int type) { return type == ::onnx::TensorProto::UINT8; }

Call convolution_call(const NodeView& node, Factors factors) {
  return convolution_call(node, factors, image_extents(node), node.shape(factors.second));
}

Call convolution_call(const NodeView& node, Factors factors, const Dims& input,
                      const Dims& weights) {
  if (weights.size() != input.size()) {
    throw Error("weights of rank " + std::to_string(weights.size()) + " for an input of rank " +
                std::to_string(input.size()));
  }
  Convolution shape;
  shape.input = input;
  shape.filters = weights[0];
  shape.groups = node.integer("group", 1);
  if (shape.groups < 1 || shape.groups > input[1] || weights[1] * shape.groups != input[1] ||
      shape.filters % shape.groups != 0) {
    throw Error("weights of " + join(weights, 'x') + " in " + std::to_string(shape.groups) +
                " groups do not fit " + std::to_string(input[1]) + " input channels");
  }
  const Dims kernel = spatial(weights);
  if (node.integers("kernel_shape").value_or(kernel) != kernel) {
    throw Error("kernel_shape differs from the weights' " + join(kernel, 'x'));
  }
  shape.window = sliding_window(node, spatial(input), kernel).window;
  shape.unsigned_data = are_unsigned_bytes(node.input(factors.first).type);
  return call(shape, {from_input(factors.first), from_input(factors.second)});
}

Call filter_bias(const NodeView& node, std::size_t index, const Dims& output, Source result) {
  const std::int64_t filters = output[1];
  if (node.shape(index) != Dims{filters}) {
    throw Error("a bias of " + join(node.shape(index), 'x') + " for " + std::to_string(filters) +
                " filters");
  }
  Dims bias(output.size(), 1);
  bias[1] = filters;
  return call(Binary{.kind = BinaryKind::add,
                     .a = output,
                     .b = bias,
                     .constant_b = node.input(index).constant},
              {result, from_input(index)});
}

Call product_call(Dims a, Source a_source, Dims b, Source b_source, bool constant_b,
                  bool transpose_a, bool transpose_b) {
  if (a.empty() || b.empty()) throw Error("a scalar does not multiply as a matrix");
  const std::string wrong = join(a, 'x') + " and " + join(b, 'x') + " do not multiply";
  if ((transpose_a && a.size() == 1) || (transpose_b && b.size() == 1)) throw Error(wrong);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  Gemm shape;
  shape.transpose_a = transpose_a;
  shape.transpose_b = transpose_b;
  shape.m = a.end()[transpose_a ? -1 : -2];
  shape.k = a.end()[transpose_a ? -2 : -1];
  shape.n = b.end()[transpose_b ? -2 : -1];
  shape.constant_b = constant_b;
  if (b.end()[transpose_b ? -1 : -2] != shape.k) throw Error(wrong);
  shape.batch_a.assign(a.begin(), a.end() - 2);
  shape.batch_b.assign(b.begin(), b.end() - 2);
  if (element_count(shape.batch_b) == 1 && !transpose_a) {
    // One B for all: the batch of A only adds rows.
    shape.m *= element_count(shape.batch_a);
    shape.batch_a.clear();
    shape.batch_b.clear();
  }
  merge_batches(shape.batch_a, shape.batch_b);
  return call(shape, {a_source, b_source});
}

Call matmul_call(const NodeView& node, Factors factors, bool transpose_a, bool transpose_b) {
  Call product = product_call(node.shape(factors.first), from_input(factors.first),
                              node.shape(factors.second), from_input(factors.second),
                              node.input(factors.second).constant, transpose_a, transpose_b);
  std::get<Gemm>(product.problem.shape).unsigned_data =
      are_unsigned_bytes(node.input(factors.first).type);
  return product;
}

Source last_result(const std::vector<Call>& calls) { return from_call(std::ssize(calls) - 1); }

Source add_call(std::vector<Call>& calls, Call call) {
  calls.push_back(std::move(call));
  return last_result(calls);
}

std::vector<float> activation_parameters(const NodeView& node) {
  std::vector<float> parameters;
  for (const auto* name : {"activation_alpha", "activation_beta"}) {
    if (node.has(name)) parameters.push_back(node.real(name, 0));
  }
  return parameters;
}

void add_activation(const NodeView& node, const std::vector<float>& parameters,
                    std::vector<Call>& calls) {
  const std::string name = node.text("activation", "");
  if (name.empty()) return;
  Activation shape{.input = output(calls.back().problem)};
  const auto parameter = [&](std::size_t index, float fallback) {
    return index < parameters.size() ? parameters[index] : fallback;
  };
  const auto add = [&] { calls.push_back(call(shape, {last_result(calls)})); };
  if (name == "Relu") {
    shape.kind = ActivationKind::relu;
  } else if (name == "Sigmoid") {
    shape.kind = ActivationKind::sigmoid;
  } else if (name == "Tanh") {
    shape.kind = ActivationKind::tanh;
  } else if (name == "HardSwish") {
    shape.kind = ActivationKind::hard_swish;
  } else if (name == "LeakyRelu") {
    shape.kind = ActivationKind::leaky_relu;
    shape.alpha = parameter(0, 0.01F);
  } else if (name == "Clip") {
    shape.kind = ActivationKind::clip;
    shape.alpha = parameter(0, std::numeric_limits<float>::lowest());
    shape.beta = parameter(1, std::numeric_limits<float>::max());
  } else if (name == "HardSigmoid") {
    shape.kind = ActivationKind::linear;
    shape.alpha = parameter(0, 0.2F);
    shape.beta = parameter(1, 0.5F);
    add();
    shape = {.input = shape.input, .kind = ActivationKind::clip, .beta = 1};
  } else {
    throw NotExpressible("the function " + name + " behind a product");
  }
  add();
}

}  // namespace benanza::onnx
