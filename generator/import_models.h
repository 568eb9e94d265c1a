#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "generator/emit/emit.h"
#include "generator/onnx/read/bind.h"
#include "generator/training/training.h"

namespace benanza {

/// The options of one run of benanza-generate.
struct GenerateOptions {
  std::vector<std::filesystem::path> models;
  /// One graph per model and batch; if empty, the batch that the model's file has.
  std::vector<std::int64_t> batches;
  std::map<std::string, std::int64_t> dims;
  /// Values of model inputs, by name (onnx::make_inputs_constant()).
  std::map<std::string, std::string> values = {};
  /// onnx::expert_shares().
  std::string expert_load = {};
  /// Lists, as <folder of tables>/<set> (lists/list.h). The other options do not apply to them.
  std::vector<std::filesystem::path> lists = {};
  /// If set, training steps with this optimizer instead of inference.
  std::optional<training::Optimizer> training = {};
  /// LoweredGraph::pads.
  bool pads = false;
};

/// A graph and, for its file name, the batch that it was asked for.
struct ImportedGraph {
  LoweredGraph graph;
  std::optional<std::int64_t> stated_batch = {};
};

/// A model that could not be turned into graphs, and why, in one line that names its file.
struct RefusedModel {
  std::filesystem::path path;
  std::string error;
};

struct ImportedModels {
  std::vector<ImportedGraph> graphs;
  std::vector<RefusedModel> refused;
};

/// Imports every model at every batch, then every list. A model that cannot be read, or not at one
/// of the batches, is refused and the others go on. Throws Error if the options are wrong: two
/// models share a name, no model has a dimension in `dims` or an input in `values` (not reported if
/// a model was refused, because that model may have it), or a list cannot be read.
ImportedModels import_models(const GenerateOptions& options);

/// What emit::write_graphs() writes of them.
std::vector<emit::NamedGraph> graphs_of(const std::vector<ImportedGraph>& imported);

}  // namespace benanza
