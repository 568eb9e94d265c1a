#pragma once

#include <string_view>
#include <vector>

#include "generator/onnx/node.h"
#include "generator/onnx/tensor.h"

namespace benanza::onnx {

/// What the body in attribute `name` states about its outputs; empty if the node has no such body.
std::vector<Tensor> stated_outputs(const Node& node, std::string_view name);

}  // namespace benanza::onnx
