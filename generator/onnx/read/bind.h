#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace benanza::onnx {

/// The user's values for dimensions and inputs that a model leaves open.
struct Binding {
  /// The batch axis of every graph input that leaves it open, or that has there what the first
  /// input has there: dimension 0, or 1 of what a recurrent layer reads step by step.
  std::optional<std::int64_t> batch;
  /// Values of named dimensions, and, as "TENSOR:AXIS", of those without a name and of those that
  /// the data decide; they go before the batch. A dimension that is a sum of products of names and
  /// numbers follows from them.
  std::map<std::string, std::int64_t> dims;
  /// Values of inputs, as make_inputs_constant() reads them.
  std::map<std::string, std::string> values = {};
};

struct Bound {
  /// That of the first input that has one; 1 if none has.
  std::int64_t batch = 1;
  /// The batch that was fixed in the file, where binding replaced it by another.
  std::optional<std::int64_t> replaced_batch;
  /// Binding::dims, and as "TENSOR:AXIS" what its names mean for the model's inner tensors.
  std::map<std::string, std::int64_t> dims;
  /// Names of Binding::dims that the model knows.
  std::set<std::string> used_dims;
};

/// The advice to add to an error about shapes if a replaced batch may be the cause; else empty.
std::string advice(const Bound& bound);

/// Gives every dimension of every graph input a value, and the same value to its name wherever the
/// model repeats it. Throws Error naming the input and the flag to pass where one stays open, is
/// below 1, or makes a tensor of more than 2^40 elements.
Bound bind(::onnx::ModelProto& model, const Binding& binding, const std::string& where);

}  // namespace benanza::onnx
