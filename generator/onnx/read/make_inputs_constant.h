#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

namespace benanza::onnx {

/// Makes inputs whose values the user states constants of the model: a flag that picks a branch, a
/// shape, a number of steps. `values`: by the input's name, as many as it has elements or one for
/// all of them, separated by commas: "true", "1,3,224,224", "0.5". Its extents must be known. Names
/// that are no input of the model are left alone. Throws Error naming the input.
void make_inputs_constant(::onnx::ModelProto& model,
                          const std::map<std::string, std::string>& values,
                          const std::string& where);

/// Whether the model has an input of that name.
bool has_input(const ::onnx::ModelProto& model, const std::string& name);

}  // namespace benanza::onnx
