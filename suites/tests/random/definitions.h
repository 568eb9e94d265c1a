#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <vector>

#include "core/problem/text.h"

/// ONNX's operators as its definitions state them, node by node and in double. Knows nothing of
/// problems and their references; definitions_test.cpp checks it against the ONNX project's own
/// tests.
namespace benanza::definitions {

struct Tensor {
  Dims dims;
  std::vector<double> values;

  double at(const Dims& index) const;
};

/// Elements of `dims`.
std::int64_t count(const Dims& dims);
/// Advances a row-major index; false after the last one.
bool advance(Dims& index, const Dims& dims);
/// The index of an element of a tensor of extents `dims` that is broadcast to one with `index`.
Dims broadcast_index(const Dims& index, const Dims& dims);

/// The values of a stored tensor.
Tensor stored(const ::onnx::TensorProto& proto);
/// True if the operator is one of those below.
bool is_defined(const std::string& op_type);
/// Adds to `values`, by name, every result of the graph; they must hold the inputs. Throws
/// std::invalid_argument for what it does not know.
void evaluate(const ::onnx::ModelProto& model, std::map<std::string, Tensor>& values);

}  // namespace benanza::definitions
