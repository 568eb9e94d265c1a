#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>

#include "generator/onnx/bind.h"
#include "generator/onnx/graph.h"

namespace benanza {

/// The graph of a model: binds its dimensions, infers shapes, gives every node a cost. `name` is
/// the graph's name, `where` begins the message of every Error.
Graph import_model(onnx::ModelProto model, const std::string& name, const Binding& binding,
                   const std::string& where);

/// The graph of a file, named by the file's stem.
Graph import_file(const std::filesystem::path& path, const Binding& binding);

}  // namespace benanza
