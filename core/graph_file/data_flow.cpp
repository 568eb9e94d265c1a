#include "core/graph_file/data_flow.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/document.h"
#include "core/graph_file/data_flow_mapping.h"

namespace benanza {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// Names what a call refers to and what is not there; empty if all is.
std::string missing_in(const FlowCall& call, std::size_t tensors, std::size_t calls) {
  const auto has = [&](const std::optional<Statistics>& all) {
    return !all || std::max({all->scale, all->shift, all->mean, all->variance}) < tensors;
  };
  for (const FlowOperand& operand : call.operands) {
    const bool found = operand.kind == FlowOperand::Kind::tensor ? operand.index < tensors
                       : operand.kind == FlowOperand::Kind::call ? operand.index < calls
                                                                 : true;
    if (!found || !has(operand.statistics)) return call.problem + " reads what is not there";
  }
  if (call.into && *call.into >= tensors) return call.problem + " adds to what is not there";
  for (const Fold& fold : call.folds) {
    if (fold.tensor >= tensors || !has(fold.statistics)) {
      return call.problem + " folds what is not there";
    }
  }
  return {};
}

std::string missing_in(const std::vector<FlowCall>& calls, std::size_t tensors) {
  for (std::size_t call = 0; call < calls.size(); ++call) {
    std::string missing = missing_in(calls[call], tensors, call);
    if (!missing.empty()) return missing;
  }
  return {};
}

std::string missing_in(const DataFlow& flow) {
  const std::size_t tensors = flow.tensors.size();
  const auto has = [&](std::size_t tensor) { return tensor < tensors; };
  for (const FlowLayer& layer : flow.layers) {
    if (!std::ranges::all_of(layer.outputs, has) || (layer.view_of && !has(*layer.view_of))) {
      return "a layer names a tensor that is not there";
    }
    if (std::string missing = missing_in(layer.calls, tensors); !missing.empty()) return missing;
  }
  for (const FlowFusion& fusion : flow.fusions) {
    if (std::string missing = missing_in(fusion.calls, tensors); !missing.empty()) return missing;
  }
  for (const FlowTensor& tensor : flow.tensors) {
    if (tensor.layer && *tensor.layer >= flow.layers.size()) return "a tensor names no layer";
  }
  return std::ranges::all_of(flow.results, has) ? "" : "a result is not there";
}

}  // namespace

std::string flow_json(const DataFlow& flow) {
  JsonWriter writer;
  writer("schema", flow_schema);
  writer("model", flow.model);
  writer.optional("batch", flow.batch);
  writer.each("tensors", flow.tensors);
  writer.each("layers", flow.layers);
  writer("results", flow.results);
  writer.each("fusions", flow.fusions);
  return writer.take() + '\n';
}

DataFlow read_flow(const std::filesystem::path& path) {
  const Document document(path, "a flow file", "write it with benanza-generate");
  return document.guard([&] {
    document.require_schema(document.root(), flow_schema);
    JsonReader reader(document.root());
    DataFlow flow;
    reader("model", flow.model);
    reader.optional("batch", flow.batch);
    reader.each("tensors", flow.tensors);
    reader.each("layers", flow.layers);
    reader("results", flow.results);
    reader.each("fusions", flow.fusions);
    if (const std::string missing = missing_in(flow); !missing.empty()) {
      throw document.error(missing);
    }
    return flow;
  });
}

}  // namespace benanza
