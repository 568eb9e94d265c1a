#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// One unique name per node, in file order: its own, or op_type and position if it has none, with a
/// number appended if the name is taken.
std::vector<std::string> unique_names(const ::onnx::GraphProto& graph);

/// Names that the subgraphs of `node` read but do not define.
std::set<std::string> captured_names(const ::onnx::NodeProto& node);

/// Adds a graph's initializers to the program. `place` returns the value for a name, or null to
/// skip it. Throws Error for impossible extents and for data that do not fill them.
void add_initializers(Program& program, const ::onnx::GraphProto& graph,
                      const std::function<Value*(const std::string&)>& place);

/// "3 nodes (Conv 2, Relu 1)": all nodes in the subgraphs of `node`, including nested ones.
std::string hidden_nodes(const ::onnx::NodeProto& node);

}  // namespace benanza::onnx
