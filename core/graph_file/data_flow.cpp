#include "core/graph_file/data_flow.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/document.h"

namespace benanza {

using nlohmann::json;
using nlohmann::ordered_json;

NLOHMANN_JSON_SERIALIZE_ENUM(FlowOperand::Kind, {{FlowOperand::Kind::tensor, "tensor"},
                                                 {FlowOperand::Kind::call, "call"},
                                                 {FlowOperand::Kind::causal, "causal"},
                                                 {FlowOperand::Kind::band, "band"},
                                                 {FlowOperand::Kind::bias, "bias"},
                                                 {FlowOperand::Kind::factor, "factor"},
                                                 {FlowOperand::Kind::shift, "shift"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Fold::Kind, {{Fold::Kind::add, "add"},
                                          {Fold::Kind::sub, "sub"},
                                          {Fold::Kind::rsub, "rsub"},
                                          {Fold::Kind::mul, "mul"},
                                          {Fold::Kind::div, "div"},
                                          {Fold::Kind::linear, "linear"},
                                          {Fold::Kind::batch_normalization, "batch_normalization"}})

namespace {

template <class Io>
void map(Io& io, Statistics& statistics) {
  io("scale", statistics.scale);
  io("shift", statistics.shift);
  io("mean", statistics.mean);
  io("variance", statistics.variance);
  io("epsilon", statistics.epsilon);
}

template <class Io>
void map(Io& io, FlowOperand& operand) {
  io("kind", operand.kind, FlowOperand::Kind::tensor);
  io("index", operand.index);
  io("scale", operand.scale, 1.0);
  io("window", operand.window);
  io.nested("statistics", operand.statistics);
}

template <class Io>
void map(Io& io, Fold& fold) {
  io("kind", fold.kind, Fold::Kind::add);
  io("tensor", fold.tensor);
  io("scale", fold.scale, 1.0);
  io("alpha", fold.alpha, 1.0);
  io("beta", fold.beta);
  io.nested("statistics", fold.statistics);
}

template <class Io>
void map(Io& io, FlowCall& call) {
  io("problem", call.problem);
  io.each("operands", call.operands);
  io.each("folds", call.folds);
  io("from_offset", call.from_offset);
  io("to_offset", call.to_offset);
  io("output", call.output);
  io("part", call.part);
  io("proxy", call.proxy);
}

template <class Io>
void map(Io& io, FlowTensor& tensor) {
  io("name", tensor.name);
  io("type", tensor.type);
  io.optional("shape", tensor.shape);
  io.optional("layer", tensor.layer);
  io("constant", tensor.constant);
}

template <class Io>
void map(Io& io, FlowLayer& layer) {
  io("outputs", layer.outputs);
  io.optional("view_of", layer.view_of);
  io.each("calls", layer.calls);
}

/// Writes members that differ from what a reader takes for absent ones.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value, const T& usual = {}) {
    if (value != usual) object_[name] = value;
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) object_[name] = *value;
  }
  template <class T>
  void each(const char* name, const std::vector<T>& values) {
    if (values.empty()) return;
    ordered_json& list = object_[name] = ordered_json::array();
    for (const T& value : values) list.push_back(written(value));
  }
  template <class T>
  void nested(const char* name, const std::optional<T>& value) {
    if (value) object_[name] = written(*value);
  }
  ordered_json take() { return std::move(object_); }

  template <class T>
  static ordered_json written(const T& value) {
    Writer writer;
    T copy = value;
    map(writer, copy);
    return writer.take();
  }

 private:
  ordered_json object_ = ordered_json::object();
};

class Reader {
 public:
  explicit Reader(const json& object) : object_(&object) {}

  template <class T>
  void operator()(const char* name, T& value, const T& usual = {}) {
    value = object_->contains(name) ? object_->at(name).get<T>() : usual;
  }
  template <class T>
  void optional(const char* name, std::optional<T>& value) {
    value = optional_member<T>(*object_, name);
  }
  template <class T>
  void each(const char* name, std::vector<T>& values) {
    if (!object_->contains(name)) return;
    for (const json& value : object_->at(name)) values.push_back(read<T>(value));
  }
  template <class T>
  void nested(const char* name, std::optional<T>& value) {
    if (object_->contains(name)) value = read<T>(object_->at(name));
  }

  template <class T>
  static T read(const json& object) {
    T value;
    Reader reader(object);
    map(reader, value);
    return value;
  }

 private:
  const json* object_;
};

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
  for (const Fold& fold : call.folds) {
    if (fold.tensor >= tensors || !has(fold.statistics)) {
      return call.problem + " folds what is not there";
    }
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
    for (std::size_t call = 0; call < layer.calls.size(); ++call) {
      std::string missing = missing_in(layer.calls[call], tensors, call);
      if (!missing.empty()) return missing;
    }
  }
  for (const auto& fusion : flow.fusions) {
    if (std::string missing = fusion ? missing_in(*fusion, tensors, 0) : ""; !missing.empty()) {
      return missing;
    }
  }
  for (const FlowTensor& tensor : flow.tensors) {
    if (tensor.layer && *tensor.layer >= flow.layers.size()) return "a tensor names no layer";
  }
  return std::ranges::all_of(flow.results, has) ? "" : "a result is not there";
}

}  // namespace

std::string flow_json(const DataFlow& flow) {
  Writer writer;
  writer("schema", flow_schema);
  writer("model", flow.model);
  writer.optional("batch", flow.batch);
  writer.each("tensors", flow.tensors);
  writer.each("layers", flow.layers);
  writer("results", flow.results);
  ordered_json document = writer.take();
  document["fusions"] = ordered_json::array();
  for (const auto& fusion : flow.fusions) {
    document["fusions"].push_back(fusion ? Writer::written(*fusion) : ordered_json());
  }
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

DataFlow read_flow(const std::filesystem::path& path) {
  const Document document(path, "a flow file", "write it with benanza-generate");
  return document.guard([&] {
    document.require_schema(document.root(), flow_schema);
    Reader reader(document.root());
    DataFlow flow;
    reader("model", flow.model);
    reader.optional("batch", flow.batch);
    reader.each("tensors", flow.tensors);
    reader.each("layers", flow.layers);
    reader("results", flow.results);
    for (const json& fusion : document.root().at("fusions")) {
      auto& call = flow.fusions.emplace_back();
      if (!fusion.is_null()) call = Reader::read<FlowCall>(fusion);
    }
    if (const std::string missing = missing_in(flow); !missing.empty()) {
      throw document.error(missing);
    }
    return flow;
  });
}

}  // namespace benanza
