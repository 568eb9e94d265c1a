#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <string>
#include <vector>

#include "generator/onnx/read/composition.h"

namespace benanza::onnx {

/// Whether an operator, by its domain and name, has a lowering of its own.
using KnowsOperator = std::function<bool(const std::string&, const std::string&)>;

/// Replaces every call of one of the model's own functions, including calls in subgraphs, with the
/// nodes of the function's body, named "call/node", and the nodes that one of `compositions` does.
/// Calls of operators that `knows` has stay, with the function's defaults, if the body holds a loop
/// or bit arithmetic (exporters write such bodies for runtimes without the operator). Calls that
/// cannot be read (a function that calls itself or reads what nothing makes, too many inputs) stay,
/// too; returns a line for each. Throws Error, starting with `where`, for calls nested more than 64
/// deep, and more than 2^16 calls, 2^17 nodes or 128 MiB.
std::vector<std::string> inline_functions(::onnx::ModelProto& model, const std::string& where,
                                          const std::vector<Composition>& compositions = {},
                                          const KnowsOperator& knows = {});

}  // namespace benanza::onnx
