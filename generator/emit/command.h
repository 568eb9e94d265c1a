#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "generator/emit/emit.h"
#include "generator/onnx/read/bind.h"
#include "generator/training/training.h"

namespace benanza::emit {

/// One call of benanza-generate.
struct GenerateOptions {
  std::vector<std::filesystem::path> models;
  /// One graph per model and batch; empty: as the files have it.
  std::vector<std::int64_t> batches;
  std::map<std::string, std::int64_t> dims;
  /// Values of inputs (onnx/feed.h).
  std::map<std::string, std::string> values = {};
  /// <folder of tables>/<set> (lists/list.h). The other options do not concern them.
  std::vector<std::filesystem::path> lists = {};
  /// Training steps by this optimizer instead of inference.
  std::optional<training::Optimizer> training = {};
};

/// A model that could not be turned into graphs, and why: one line that names its file.
struct RefusedModel {
  std::filesystem::path path;
  std::string error;
};

struct ImportedModels {
  std::vector<GraphFile> files;
  std::vector<RefusedModel> refused;
};

/// Every model at every batch, then every list; a model that cannot be read, or not at one of the
/// batches, is refused and the others go on. Throws Error where the call itself is wrong: two
/// models share a name, or none has a dimension that `dims` names or an input that `values` names
/// (if a model was refused, it may be the one that has it: no error), or a list cannot be read.
ImportedModels import_models(const GenerateOptions& options);

/// "NAME=N" of --dim. Throws Error.
std::pair<std::string, std::int64_t> parse_dim(const std::string& text);

/// "NAME=VALUE[,VALUE...]" of --input. Throws Error.
std::pair<std::string, std::string> parse_input(const std::string& text);

/// "fp32,bf16" of --precision, each once. Throws Error naming the known ones.
std::vector<Precision> parse_precisions(const std::vector<std::string>& names);

}  // namespace benanza::emit
