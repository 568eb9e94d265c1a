#include "generator/import_models.h"

#include <algorithm>
#include <iterator>

#include "core/base/at_once.h"
#include "core/base/error.h"
#include "generator/generate.h"
#include "generator/lists/list.h"
#include "generator/onnx/import.h"
#include "generator/onnx/infer/assume.h"
#include "generator/onnx/read/make_inputs_constant.h"
#include "generator/onnx/read/read.h"

namespace benanza {
namespace {

void require_unique_names(const std::vector<std::filesystem::path>& models) {
  std::set<std::string> names;
  for (const std::filesystem::path& path : models) {
    const std::string name = path.stem().string();
    if (!names.insert(name).second) {
      throw Error(path.string() + ": a second model is called \"" + name +
                  "\": rename one of the files");
    }
  }
}

std::vector<std::optional<std::int64_t>> batches_of(const GenerateOptions& options) {
  std::vector<std::optional<std::int64_t>> batches(options.batches.begin(), options.batches.end());
  std::ranges::sort(batches);
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  if (batches.empty()) batches.emplace_back();
  return batches;
}

std::string in_one_line(std::string text, const std::filesystem::path& path) {
  std::ranges::replace(text, '\n', ' ');
  return text.find(path.string()) == std::string::npos ? path.string() + ": " + text : text;
}

/// What one model's file became.
struct OfModel {
  std::vector<ImportedGraph> graphs{};
  std::optional<RefusedModel> refused{};
  /// Of the options, those that it has.
  std::set<std::string> known_dims{};
  std::set<std::string> known_inputs{};
};

/// Throws whatever refuses it.
void import_batches(const std::filesystem::path& path, const GenerateOptions& options,
                    OfModel& imported) {
  const ::onnx::ModelProto model = onnx::read_model(path);
  for (const auto& [name, value] : options.values) {
    if (onnx::has_input(model, name)) imported.known_inputs.insert(name);
  }
  const auto batches = batches_of(options);
  for (const auto& batch : batches) {
    LoweredGraph graph = onnx::import_model(
        model, path.stem().string(), {batch, options.dims, options.values, options.expert_load},
        path.string());
    imported.known_dims.insert(graph.bound_dims.begin(), graph.bound_dims.end());
    // Only once, because batches differ only in their extents.
    if (batch == batches.front()) {
      for (const std::string& warning : {onnx::assumption_warning(graph, path.string()),
                                         onnx::shapeless_warning(graph, path.string())}) {
        if (!warning.empty()) graph.warnings.push_back(warning);
      }
    }
    if (options.training) graph = training::training_step(graph, *options.training);
    graph.pads = options.pads;
    imported.graphs.push_back({std::move(graph), batch});
  }
}

OfModel import_one(const std::filesystem::path& path, const GenerateOptions& options) {
  OfModel imported;
  try {
    import_batches(path, options, imported);
  } catch (const std::exception& error) {
    imported.graphs.clear();
    imported.refused = RefusedModel{path, in_one_line(error.what(), path)};
  }
  return imported;
}

}  // namespace

ImportedModels import_models(const GenerateOptions& options) {
  require_unique_names(options.models);
  std::vector<OfModel> models(options.models.size());
  at_once(models.size(),
          [&](std::size_t index) { models[index] = import_one(options.models[index], options); });
  std::set<std::string> unknown_dims;
  for (const auto& [name, value] : options.dims) unknown_dims.insert(name);
  std::map<std::string, std::string> unknown_inputs = options.values;
  ImportedModels imported;
  for (OfModel& model : models) {
    std::ranges::move(model.graphs, std::back_inserter(imported.graphs));
    if (model.refused) imported.refused.push_back(std::move(*model.refused));
    for (const std::string& dim : model.known_dims) unknown_dims.erase(dim);
    for (const std::string& input : model.known_inputs) unknown_inputs.erase(input);
  }
  for (const std::filesystem::path& list : options.lists) {
    imported.graphs.push_back({lists::read_list(list), {}});
  }
  if (!imported.refused.empty()) return imported;
  if (!unknown_dims.empty()) {
    throw Error("--dim " + *unknown_dims.begin() +
                ": no model has a dimension of that name that it leaves open");
  }
  if (!unknown_inputs.empty()) {
    throw Error("--input " + unknown_inputs.begin()->first +
                ": no model has an input of that name");
  }
  return imported;
}

std::vector<emit::NamedGraph> graphs_of(const std::vector<ImportedGraph>& imported) {
  std::vector<emit::NamedGraph> graphs(imported.size());
  at_once(graphs.size(), [&](std::size_t index) {
    const ImportedGraph& one = imported[index];
    const std::string batch =
        one.stated_batch ? "_b" + std::to_string(*one.stated_batch) : std::string();
    GraphAndFlow made = make_graph_and_flow(one.graph);
    graphs[index] = {.file = emit::file_name(one.graph.model + batch),
                     .graph = std::move(made.graph),
                     .list = one.graph.list,
                     .flow = std::move(made.flow)};
  });
  return graphs;
}

}  // namespace benanza
