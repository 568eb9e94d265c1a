#pragma once

// Helpers that pass values through the calls of an ONNX test's node.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "core/base/file.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/tensor.h"
#include "suites/verify/reference.h"

namespace benanza::onnx {

using Values = std::vector<float>;

/// Thrown to skip the comparison of a test; not a failure.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline ::onnx::TensorProto read_tensor(const std::filesystem::path& path) {
  ::onnx::TensorProto tensor;
  if (!tensor.ParseFromString(read_file(path))) throw Skipped("data that is no tensor");
  return tensor;
}

inline Values floats(const ::onnx::TensorProto& tensor) {
  const auto literal = read_values(tensor);
  if (!literal) throw Skipped("data of type " + type_name(tensor.data_type()));
  return std::visit([](const auto& values) { return Values(values.begin(), values.end()); },
                    *literal);
}

inline bool is_argument(const std::string& op, int index, int type) {
  // Parameters rather than data: constant whenever the operator can be measured.
  return index > 0 && (!is_floating(type) || op == "Clip" || op == "Pad" || op == "Dropout" ||
                       op == "Resize" || op == "Upsample");
}

/// Operators that, if they cost nothing, return the elements of their first input.
inline const std::set<std::string> passes_on{
    "Cast", "Clip",      "Concat",     "Dropout",   "Flatten",  "Identity", "Max",
    "Min",  "Pad",       "ReduceMax",  "ReduceSum", "Reshape",  "Slice",    "Split",
    "Sum",  "Transpose", "ReduceMean", "Squeeze",   "Unsqueeze"};

/// The problem returns the batch's mean and variance, the node the running ones updated with these.
inline void run_on(const ::onnx::NodeProto& node, const std::map<std::string, Values>& values,
                   std::map<int, Values>& written) {
  double momentum = 0.9;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "momentum") momentum = static_cast<double>(attribute.f());
  }
  for (const int output : {1, 2}) {
    const Values& before = values.at(node.input(output + 2));
    for (std::size_t channel = 0; channel < before.size(); ++channel) {
      float& value = written.at(output).at(channel);
      value = static_cast<float>(before[channel] * momentum + value * (1 - momentum));
    }
  }
}

/// Whether the result of call `index` is an operand of another call, and so not an output of the
/// layer.
inline bool read_by_a_call(const LoweredLayer& layer, std::size_t index) {
  return std::any_of(layer.calls.begin(), layer.calls.end(), [&](const Call& call) {
    return std::any_of(call.operands.begin(), call.operands.end(), [&](const Source& source) {
      return source.kind == Source::Kind::call && static_cast<std::size_t>(source.index) == index;
    });
  });
}

/// Returns null if the node is not a numeric constant.
inline const ::onnx::TensorProto* value_of(const ::onnx::NodeProto& node) {
  if (node.op_type() != "Constant") return nullptr;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "value") return &attribute.t();
  }
  return nullptr;
}

/// The infinity that IsInf tests for.
inline float infinity_of(const ::onnx::NodeProto& node) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "detect_positive" && attribute.i() == 0) return -INFINITY;
  }
  return INFINITY;
}

/// The causal mask that attention adds to its scores: -inf for later keys.
inline Values triangle(const Dims& dims) {
  const std::int64_t queries = dims.end()[-2];
  const std::int64_t keys = dims.end()[-1];
  Values values;
  for (std::int64_t query = 0; query < queries; ++query) {
    for (std::int64_t key = 0; key < keys; ++key) {
      values.push_back(key > query ? -INFINITY : 0.0F);
    }
  }
  return values;
}

inline Values compute(const Problem& problem, const std::vector<Values>& operands) {
  const auto expected = inputs(problem);
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const auto size = static_cast<std::size_t>(element_count(expected[index].dims));
    EXPECT_EQ(operands[index].size(), size) << key(problem) << " operand " << expected[index].name;
    if (operands[index].size() != size) return {};
  }
  EXPECT_EQ(parse(key(problem)), problem);
  Values result(static_cast<std::size_t>(element_count(output(problem))));
  for (std::size_t flat = 0; flat < result.size(); ++flat) {
    result[flat] =
        static_cast<float>(verify::reference(problem, operands, static_cast<std::int64_t>(flat)));
  }
  return result;
}

/// What an operand of extents `dims` reads of a tensor (Source::part_from, matrix_rows).
inline Values part(const Values& whole, const Source& source, const Dims& dims) {
  const std::int64_t run =
      source.matrix_rows == 0 ? element_count(dims) : dims.back() * dims.end()[-2];
  const std::int64_t step = source.matrix_rows == 0 ? run : source.matrix_rows * dims.back();
  Values values;
  for (std::int64_t first = source.part_from.value_or(0); std::ssize(values) < element_count(dims);
       first += step) {
    EXPECT_LE(first + run, std::ssize(whole));
    if (first + run > std::ssize(whole)) break;
    values.insert(values.end(), whole.begin() + first, whole.begin() + first + run);
  }
  return values;
}

/// The value of elements that a copy does not write: Pad's constant.
inline Values blank(const LoweredLayer& layer, int output, const ::onnx::NodeProto& node,
                    const std::map<std::string, Values>& values) {
  float fill = NAN;
  if (layer.op == "Pad") {
    fill = node.input_size() > 2 && !node.input(2).empty() ? values.at(node.input(2)).at(0) : 0;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value") fill = attribute.f();
    }
  }
  const auto& facts = layer.outputs.at(static_cast<std::size_t>(output));
  return Values(static_cast<std::size_t>(element_count(*facts.shape)), fill);
}

inline void copy(const Call& call, const Values& source, Values& target) {
  EXPECT_EQ(parse(key(call.problem)), call.problem);
  const Copy& shape = std::get<Copy>(call.problem.shape);
  const std::int64_t span = element_count(inputs(call.problem).front().dims);
  const auto begin = source.begin() + call.from_offset;
  ASSERT_LE(call.from_offset + span, static_cast<std::int64_t>(source.size()));
  const std::vector<Values> operands{{begin, begin + span}};
  Dims index(shape.dims.size(), 0);
  for (std::int64_t moved = 0; moved < shape.moved_elements(); ++moved) {
    std::int64_t to = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) to += index[axis] * shape.to[axis];
    target.at(static_cast<std::size_t>(call.to_offset + to)) =
        static_cast<float>(verify::reference(call.problem, operands, to));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < shape.dims[axis]) break;
      index[axis] = 0;
    }
  }
}

/// A power as products reads its operand several times; a single number is a bias of equal
/// elements.
inline void fit(std::vector<Values>& operands, const std::vector<Operand>& expected) {
  while (operands.size() < expected.size()) operands.push_back(Values(operands.front()));
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const auto size = static_cast<std::size_t>(element_count(expected[index].dims));
    if (operands[index].size() == 1) operands[index].assign(size, Values(operands[index])[0]);
  }
}

inline void expect_near(const Values& expected, const Values& actual, const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (std::size_t index = 0; index < expected.size(); ++index) {
    // A row whose elements are all masked is the mean of nothing.
    if (std::isnan(expected[index]) && std::isnan(actual[index])) continue;
    ASSERT_NEAR(expected[index], actual[index], 2e-5 * (1 + std::abs(expected[index])))
        << what << " element " << index;
  }
}

}  // namespace benanza::onnx
