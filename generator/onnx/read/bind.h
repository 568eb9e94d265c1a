#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace benanza::onnx {

/// The user's values for the dimensions and inputs that a model leaves open.
struct Binding {
  /// Batch size for every graph input whose batch dimension is open or equals the first input's:
  /// dimension 0, or 1 for time-major inputs of recurrent layers.
  std::optional<std::int64_t> batch;
  /// Values of named dimensions and, as "TENSOR:AXIS", of unnamed and data-dependent ones; they
  /// take precedence over `batch`. A dimension given as a sum of products of names and numbers is
  /// computed from them.
  std::map<std::string, std::int64_t> dims;
  /// Values of inputs, in the format of make_inputs_constant().
  std::map<std::string, std::string> values = {};
  /// How tokens choose experts (expert_shares()); empty: balanced.
  std::string expert_load = {};
};

struct ResolvedDims {
  /// Batch size of the first input that has one; 1 if none has.
  std::int64_t batch = 1;
  /// The batch size fixed in the file, if binding replaced it with another one.
  std::optional<std::int64_t> replaced_batch;
  /// Whether the user chose extents: what does not fit may be due to them.
  bool is_chosen = false;
  /// Binding::dims and, as "TENSOR:AXIS", the values of dimensions resolved by name.
  std::map<std::string, std::int64_t> dims;
  /// Keys of Binding::dims that occur in the model.
  std::set<std::string> used_dims;
};

/// Advice to append to errors about shapes; empty unless the user's dimensions or a replaced batch
/// size may be the cause.
std::string advice(const ResolvedDims& bound);

/// Gives every dimension of every graph input a value, and the same value to its name everywhere in
/// the model. Extents below 0 and the name "?" are open; those of caches may follow from the
/// operators that read them (cache_extents()). Throws Error, with the flags to give,
/// if dimensions stay open, and if an input has no shape or more than 2^40 elements.
ResolvedDims bind(::onnx::ModelProto& model, const Binding& binding, const std::string& where);

}  // namespace benanza::onnx
