#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "generator/emit/emit.h"
#include "generator/onnx/read/bind.h"

namespace benanza::emit {

/// What benanza-generate is asked for.
struct GenerateOptions {
  std::vector<std::filesystem::path> models;
  /// One graph per model and batch; empty: as the files have it.
  std::vector<std::int64_t> batches;
  std::map<std::string, std::int64_t> dims;
  /// Values of inputs (onnx/feed.h).
  std::map<std::string, std::string> values = {};
};

/// Every model at every batch. Throws Error where a model cannot be read, two models share a name,
/// or no model has a dimension that `dims` names or an input that `values` names.
std::vector<GraphFile> import_models(const GenerateOptions& options);

/// "NAME=N" of --dim. Throws Error.
std::pair<std::string, std::int64_t> parse_dim(const std::string& text);

/// "NAME=VALUE[,VALUE...]" of --input. Throws Error.
std::pair<std::string, std::string> parse_input(const std::string& text);

/// "fp32,bf16" of --precision, each once. Throws Error naming the known ones.
std::vector<Precision> parse_precisions(const std::vector<std::string>& names);

}  // namespace benanza::emit
