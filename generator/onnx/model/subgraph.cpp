#include "generator/onnx/model/subgraph.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"

namespace benanza::onnx {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

std::vector<std::string> unique_names(const GraphProto& graph) {
  std::vector<std::string> names(static_cast<std::size_t>(graph.node_size()));
  std::set<std::string> taken;
  std::map<std::string, int> copies;
  const auto claim = [&](const std::string& wanted) {
    std::string name = wanted;
    for (int& copy = copies.try_emplace(wanted, 1).first->second; !taken.insert(name).second;) {
      name = wanted + '_' + std::to_string(++copy);
    }
    return name;
  };
  // Names from the file first, so that generated names never displace them.
  for (std::size_t index = 0; index < names.size(); ++index) {
    const std::string& own = graph.node(static_cast<int>(index)).name();
    if (!own.empty() && taken.insert(own).second) names[index] = own;
  }
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (!names[index].empty()) continue;
    const NodeProto& node = graph.node(static_cast<int>(index));
    names[index] =
        claim(node.name().empty() ? node.op_type() + '_' + std::to_string(index) : node.name());
  }
  return names;
}

namespace {

void collect_captured(const GraphProto& graph, std::set<std::string> known,
                      std::set<std::string>& captured);

void collect_captured(const NodeProto& node, const std::set<std::string>& known,
                      std::set<std::string>& captured) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collect_captured(attribute.g(), known, captured);
    for (const GraphProto& graph : attribute.graphs()) collect_captured(graph, known, captured);
  }
}

/// Adds the names that `graph` reads but does not define; `known` are defined outside.
void collect_captured(const GraphProto& graph, std::set<std::string> known,
                      std::set<std::string>& captured) {
  for (const auto& input : graph.input()) known.insert(input.name());
  for (const auto& tensor : graph.initializer()) known.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) known.insert(tensor.values().name());
  const auto read = [&](const std::string& name) {
    if (!name.empty() && !known.contains(name)) captured.insert(name);
  };
  for (const NodeProto& node : graph.node()) {
    for (const std::string& input : node.input()) read(input);
    collect_captured(node, known, captured);
    for (const std::string& output : node.output()) known.insert(output);
  }
  for (const auto& output : graph.output()) read(output.name());
}

void count_nodes(const NodeProto& node, std::map<std::string, int>& counts) {
  const auto count = [&](const GraphProto& graph) {
    for (const NodeProto& inner : graph.node()) {
      ++counts[inner.op_type()];
      count_nodes(inner, counts);
    }
  };
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) count(attribute.g());
    for (const GraphProto& graph : attribute.graphs()) count(graph);
  }
}

}  // namespace

std::set<std::string> captured_names(const NodeProto& node) {
  std::set<std::string> captured;
  collect_captured(node, {}, captured);
  return captured;
}

namespace {

/// Where another file holds the tensor, and what; empty if the model does not say which part.
std::string external_place(const ::onnx::TensorProto& tensor) {
  std::string place;
  bool is_part = false;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "checksum") continue;
    place += entry.key() + '=' + entry.value() + '\n';
    is_part = is_part || entry.key() == "offset" || entry.key() == "length";
  }
  if (!is_part) return "";
  const auto count = checked_element_count(Dims(tensor.dims().begin(), tensor.dims().end()));
  return place + std::to_string(tensor.data_type()) + ' ' + std::to_string(count.value_or(0));
}

}  // namespace

void add_initializers(Program& program, const GraphProto& graph,
                      const std::function<Value*(const std::string&)>& place) {
  const auto add = [&](const std::string& stated, int type, const auto& dims) -> Value* {
    Value* value = place(stated);
    if (value == nullptr) return nullptr;
    value->value_type = make_type(type, Dims(dims.begin(), dims.end()));
    Tensor tensor = make_tensor(stated, value->value_type);
    if (!checked_element_count(*tensor.shape)) {
      throw Error(program.where + ": initializer \"" + stated +
                  "\" has negative extents or more than 2^40 elements");
    }
    tensor.constant = true;
    value->given = true;
    static_cast<Tensor&>(*value) = std::move(tensor);
    return value;
  };
  for (const auto& tensor : graph.initializer()) {
    Value* added = add(tensor.name(), tensor.data_type(), tensor.dims());
    if (added == nullptr) continue;  // without a name it cannot be read
    added->stored = &tensor;
    if (const std::string where = external_place(tensor); !where.empty()) {
      const Value* const first = program.external.try_emplace(where, added).first->second;
      added->shared = first == added ? nullptr : first;
    }
    try {
      added->literal = read_literal(tensor);
    } catch (const Error& error) {
      throw Error(program.where + ": " + error.what());
    }
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    Value* const added = add(tensor.values().name(), tensor.values().data_type(), tensor.dims());
    if (added == nullptr) continue;
    const Dims dims(tensor.values().dims().begin(), tensor.values().dims().end());
    const auto all = element_count(*added->shape);
    added->nonzeros = std::min(all, checked_element_count(dims).value_or(all));
  }
}

std::string hidden_nodes(const NodeProto& node) {
  std::map<std::string, int> counts;
  count_nodes(node, counts);
  int total = 0;
  std::string text;
  for (const auto& [op, count] : counts) {
    total += count;
    text += (text.empty() ? "" : ", ") + op + ' ' + std::to_string(count);
  }
  return std::to_string(total) + (total == 1 ? " node" : " nodes") +
         (text.empty() ? "" : " (" + text + ')');
}

}  // namespace benanza::onnx
