#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>

#include "generator/lowered/lowered.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// The graph of a model: binds its dimensions, infers shapes, gives every node a cost. `name` is
/// the graph's name, `where` begins the message of every Error.
LoweredGraph import_model(::onnx::ModelProto model, const std::string& name, const Binding& binding,
                          const std::string& where);

/// The graph of a file, named by the file's stem.
LoweredGraph import_file(const std::filesystem::path& path, const Binding& binding);

}  // namespace benanza::onnx
