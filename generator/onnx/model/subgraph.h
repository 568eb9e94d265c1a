#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// One name per node, in file order: its own; op_type and position where it has none; with a number
/// where two nodes share one.
std::vector<std::string> unique_names(const ::onnx::GraphProto& graph);

/// Names that the subgraphs of `node` read and do not define.
std::set<std::string> captured_names(const ::onnx::NodeProto& node);

/// Adds the constants that a graph stores, under the names that `rename` gives them. Throws Error
/// for impossible extents.
void add_initializers(Program& program, const ::onnx::GraphProto& graph,
                      const std::function<std::string(const std::string&)>& rename);

/// "3 nodes (Conv 2, Relu 1)": every node in the graphs among the node's attributes.
std::string hidden_nodes(const ::onnx::NodeProto& node);

}  // namespace benanza::onnx
