#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

namespace benanza::onnx {

/// Turns inputs for which the user gives values into constants: a flag that selects a branch, a
/// shape, a number of steps. `values` maps an input's name to its elements or one value for all,
/// separated by commas: "true", "1,3,224,224", "0.5". Names that are not inputs of the model are
/// ignored. Throws Error, naming the input, if its extents are unknown or the values do not fit it.
void make_inputs_constant(::onnx::ModelProto& model,
                          const std::map<std::string, std::string>& values,
                          const std::string& where);

/// Whether the model has an input with that name.
bool has_input(const ::onnx::ModelProto& model, const std::string& name);

}  // namespace benanza::onnx
