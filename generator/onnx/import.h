#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>

#include "generator/lowered/lowered.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Imports a model: binds its dimensions, infers shapes and lowers every node. `name` is the name
/// of the graph; every Error message starts with `where`.
LoweredGraph import_model(::onnx::ModelProto model, const std::string& name, const Binding& binding,
                          const std::string& where);

/// Imports a model file. The graph is named after the file's stem.
LoweredGraph import_file(const std::filesystem::path& path, const Binding& binding);

}  // namespace benanza::onnx
