#include "generator/onnx/read/inline.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/model/node.h"
#include "generator/onnx/read/composition.h"
#include "generator/onnx/read/function_call.h"

namespace benanza::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

constexpr std::size_t most_nodes = 1U << 17U;
constexpr std::size_t most_calls = 1U << 16U;
constexpr std::size_t most_bytes = 1U << 27U;
constexpr std::size_t deepest = 64;

using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;
/// A call's tensor names or attributes, by the names used in the function's body.
using Names = std::map<std::string, std::string>;
using Values = std::map<std::string, const AttributeProto*>;
/// Versions by canonical domain.
using Imports = std::map<std::string, std::int64_t>;

template <class Importing>
Imports imports_of(const Importing& from) {
  Imports imports;
  for (const auto& import : from.opset_import()) {
    imports[canonical_domain(import.domain())] = import.version();
  }
  return imports;
}

/// What calls and functions are matched by.
std::string id(const std::string& domain, const std::string& name, const std::string& overload) {
  const std::string plain = canonical_domain(domain) + ':' + name;
  return overload.empty() ? plain : plain + ':' + overload;
}
std::string id(const NodeProto& call) {
  return id(call.domain(), call.op_type(), overload_of(call));
}
std::string id(const FunctionProto& function) {
  return id(function.domain(), function.name(), overload_of(function));
}

void rename(const Names& names, std::string& name) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename(GraphProto& graph, Names names) {
  for (const auto& input : graph.input()) names.erase(input.name());
  for (const auto& tensor : graph.initializer()) names.erase(tensor.name());
  for (const NodeProto& node : graph.node()) {
    for (const std::string& output : node.output()) names.erase(output);
  }
  for (NodeProto& node : *graph.mutable_node()) {
    for (std::string& input : *node.mutable_input()) rename(names, input);
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) rename(*attribute.mutable_g(), names);
      for (GraphProto& inner : *attribute.mutable_graphs()) rename(inner, names);
    }
  }
  for (auto& output : *graph.mutable_output()) rename(names, *output.mutable_name());
}

struct Function {
  const FunctionProto* proto = nullptr;
  /// Of its nodes; domains that are not here have the model's version.
  Imports imports;
  std::vector<AttributeProto> defaults;
  /// Set for an operator of which the model's own functions know nothing.
  const Composition* composition = nullptr;
  /// Its calls are nodes of an operator that is known without it.
  bool stays = false;

  bool does(const NodeProto& node) const {
    return composition == nullptr || benanza::onnx::does(*composition, node);
  }
};

/// The values of a function's attributes in one call: those that it states, and the function's
/// defaults of the others.
Values values_of(const NodeProto& call, const Function& function) {
  Values values;
  for (const AttributeProto& attribute : call.attribute()) values[attribute.name()] = &attribute;
  for (const AttributeProto& standard : function.defaults) {
    values.emplace(standard.name(), &standard);
  }
  return values;
}

/// Replaces references to the function's attributes with the call's values. Attributes that have
/// none are removed from the body, too.
void substitute(const Values& values, NodeProto& node) {
  google::protobuf::RepeatedPtrField<AttributeProto> kept;
  for (AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.ref_attr_name().empty()) {
      if (attribute.has_g()) {
        for (NodeProto& inner : *attribute.mutable_g()->mutable_node()) substitute(values, inner);
      }
      for (GraphProto& graph : *attribute.mutable_graphs()) {
        for (NodeProto& inner : *graph.mutable_node()) substitute(values, inner);
      }
      *kept.Add() = std::move(attribute);
    } else if (const auto value = values.find(attribute.ref_attr_name()); value != values.end()) {
      AttributeProto copy = *value->second;
      copy.set_name(attribute.name());
      *kept.Add() = std::move(copy);
    }
  }
  node.mutable_attribute()->Swap(&kept);
}

/// Whether the body goes through tokens one by one, or takes packed numbers apart.
bool spells_out(const FunctionProto& function) {
  return std::ranges::any_of(function.node(), [](const NodeProto& node) {
    constexpr std::array ops{"Scan", "Loop", "BitShift", "BitwiseAnd"};
    return std::ranges::find(ops, node.op_type()) != ops.end();
  });
}

/// A tensor of the function itself that all of its calls can share: a stored one that is no small
/// number or shape.
bool is_stored(const NodeProto& node) {
  constexpr std::int64_t few = 16;
  if (node.op_type() != "Constant" || node.output_size() != 1) return false;
  return std::ranges::any_of(node.attribute(), [](const AttributeProto& attribute) {
    if (attribute.name() != "value" || !attribute.ref_attr_name().empty()) return false;
    std::int64_t elements = 1;
    for (const std::int64_t extent : attribute.t().dims()) {
      if (extent > few) return true;
      elements *= extent;
    }
    return elements > few;
  });
}

class Inliner {
 public:
  Inliner(const ::onnx::ModelProto& model, const std::vector<Composition>& compositions,
          const KnowsOperator& knows, const std::string& where)
      : where_(where), imports_(imports_of(model)) {
    for (const Composition& one : compositions) {
      functions_.emplace(id(one.function),
                         Function{&one.function, {}, defaults_of(one.function), &one});
    }
    for (const FunctionProto& function : model.functions()) {
      const bool stays = knows && spells_out(function) && knows(function.domain(), function.name());
      functions_.emplace(id(function), Function{&function, imports_of(function),
                                                defaults_of(function), nullptr, stays});
    }
  }

  void expand(GraphProto& graph) {
    depth_ = 0;
    expand(graph, {});
  }

  /// Calls that cannot be read and stay nodes of unknown operators: one line each.
  std::vector<std::string>& unreadable() { return unreadable_; }

 private:
  /// `imports`: of the function that the nodes come from.
  void expand(GraphProto& graph, const Imports& imports) {
    Nodes expanded;
    ++depth_;
    for (NodeProto& node : *graph.mutable_node()) expand(std::move(node), imports, expanded);
    --depth_;
    graph.mutable_node()->Swap(&expanded);
  }

  void expand(NodeProto&& node, const Imports& imports, Nodes& out) {
    const auto found = functions_.find(id(node));
    const bool is_call =
        found != functions_.end() && found->second.does(node) && is_readable(node, *found);
    if (is_call && found->second.stays) add_defaults(found->second, node);
    if (!is_call || found->second.stays) {
      for (AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) expand(*attribute.mutable_g(), imports);
        for (GraphProto& graph : *attribute.mutable_graphs()) expand(graph, imports);
      }
      state_version(imports, node);
      ++nodes_;
      bytes_ += node.ByteSizeLong();
      check_size();
      *out.Add() = std::move(node);
      return;
    }
    ++calls_;
    check_size();
    if (active_.size() == deepest) {
      throw Error(where_ + ": its functions call each other more than " + std::to_string(deepest) +
                  " deep: export the model without them");
    }
    active_.insert(found->first);
    expand_call(node, found->second, out);
    active_.erase(found->first);
  }

  bool is_readable(const NodeProto& call, const std::pair<const std::string, Function>& called) {
    const Function& function = called.second;
    if (function.composition != nullptr || function.stays) return true;
    const std::string what = active_.contains(called.first) ? "calls itself: inline it"
                                                            : missing_in(call, *function.proto);
    if (what.empty()) return true;
    const std::string& name = call.name().empty() ? call.op_type() : call.name();
    unreadable_.push_back(where_ + ": node \"" + name + "\": function \"" + called.first + "\" " +
                          what);
    return false;
  }

  void state_version(const Imports& imports, NodeProto& node) const {
    const std::string domain = canonical_domain(node.domain());
    const auto own = imports.find(domain);
    if (own == imports.end()) return;
    if (const auto models = imports_.find(domain);
        models == imports_.end() || models->second != own->second) {
      node.set_domain(versioned_domain(node.domain(), own->second));
    }
  }

  static void add_defaults(const Function& function, NodeProto& node) {
    for (const AttributeProto& standard : function.defaults) {
      const bool stated = std::ranges::any_of(node.attribute(), [&](const AttributeProto& own) {
        return own.name() == standard.name();
      });
      if (!stated) *node.add_attribute() = standard;
    }
  }

  /// Nested functions can expand to more nodes than fit into memory.
  void check_size() const {
    if (nodes_ > most_nodes || calls_ > most_calls || bytes_ > most_bytes) {
      throw Error(where_ + ": its functions make more than " + std::to_string(most_calls) +
                  " calls, " + std::to_string(most_nodes) + " nodes or " +
                  std::to_string(most_bytes >> 20U) + " MiB: export the model without them");
    }
  }

  void expand_call(const NodeProto& call, const Function& called, Nodes& out) {
    const FunctionProto& function = *called.proto;
    const std::string prefix = call_name(call) + '/';
    Names names;
    for (int index = 0; index < function.input_size(); ++index) {
      names[function.input(index)] = index < call.input_size() ? call.input(index) : "";
    }
    std::vector<NodeProto> copies;
    for (int index = 0; index < function.output_size(); ++index) {
      const std::string& formal = function.output(index);
      if (index >= call.output_size() || call.output(index).empty()) continue;
      if (!names.contains(formal)) {
        names[formal] = call.output(index);
        continue;
      }
      // This result is also an argument or another result.
      NodeProto copy;
      copy.set_op_type("Identity");
      copy.set_name(prefix + formal);
      copy.add_input(names.at(formal));
      copy.add_output(call.output(index));
      copies.push_back(std::move(copy));
    }
    const Values values = values_of(call, called);
    std::set<const NodeProto*> shared;
    for (const NodeProto& node : function.node()) {
      if (share(node, names, prefix)) shared.insert(&node);
      for (const std::string& output : node.output()) {
        if (!output.empty()) names.emplace(output, prefix + output);
      }
    }
    int position = 0;
    for (const NodeProto& original : function.node()) {
      if (shared.contains(&original) && ++position > 0) continue;
      NodeProto node = original;
      node.set_name(prefix + (node.name().empty() ? node.op_type() + '_' + std::to_string(position)
                                                  : node.name()));
      ++position;
      const bool is_last = position == function.node_size();
      if (called.composition != nullptr && is_last) node.set_name(call.name());
      for (std::string& input : *node.mutable_input()) rename(names, input);
      for (std::string& output : *node.mutable_output()) rename(names, output);
      substitute(values, node);
      for (AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) rename(*attribute.mutable_g(), names);
        for (GraphProto& graph : *attribute.mutable_graphs()) rename(graph, names);
      }
      expand(std::move(node), called.imports, out);
    }
    for (NodeProto& copy : copies) *out.Add() = std::move(copy);
  }

  /// Names the result of a stored tensor as that of an earlier call; whether there is one.
  bool share(const NodeProto& node, Names& names, const std::string& prefix) {
    if (depth_ != 1 || !is_stored(node) || names.contains(node.output(0))) return false;
    const std::string own = prefix + node.output(0);
    const std::string& first = stored_.try_emplace(&node, own).first->second;
    names.emplace(node.output(0), first);
    return first != own;
  }

  std::string call_name(const NodeProto& call) {
    const std::string wanted = call.name().empty() ? call.op_type() : call.name();
    std::string name = wanted;
    for (int& copy = copies_.try_emplace(wanted, 1).first->second; !taken_.insert(name).second;) {
      name = wanted + '_' + std::to_string(++copy);
    }
    return name;
  }

  const std::string& where_;
  std::vector<std::string> unreadable_;
  /// The model's.
  Imports imports_;
  std::map<std::string, Function> functions_;
  std::set<std::string> active_;
  std::set<std::string> taken_;
  std::map<std::string, int> copies_;
  /// The names of the functions' stored tensors.
  std::map<const NodeProto*, std::string> stored_;
  /// Of graphs in each other.
  int depth_ = 0;
  std::size_t nodes_ = 0;
  std::size_t calls_ = 0;
  std::size_t bytes_ = 0;
};

/// Imports opsets that the functions use, for domains that the model does not import.
void add_opsets(::onnx::ModelProto& model) {
  std::set<std::string> known;
  for (const auto& import : model.opset_import()) known.insert(canonical_domain(import.domain()));
  for (const FunctionProto& function : model.functions()) {
    for (const auto& import : function.opset_import()) {
      if (known.insert(canonical_domain(import.domain())).second) {
        *model.add_opset_import() = import;
      }
    }
  }
}

bool is_composed(const GraphProto& graph, const std::vector<Composition>& compositions) {
  return std::ranges::any_of(graph.node(), [&](const NodeProto& node) {
    const bool here = std::ranges::any_of(compositions, [&](const Composition& one) {
      return node.op_type() == one.function.name() && node.domain() == one.function.domain() &&
             does(one, node);
    });
    return here || std::ranges::any_of(node.attribute(), [&](const AttributeProto& attribute) {
             return (attribute.has_g() && is_composed(attribute.g(), compositions)) ||
                    std::ranges::any_of(attribute.graphs(), [&](const GraphProto& inner) {
                      return is_composed(inner, compositions);
                    });
           });
  });
}

}  // namespace

std::vector<std::string> inline_functions(::onnx::ModelProto& model, const std::string& where,
                                          const std::vector<Composition>& compositions,
                                          const KnowsOperator& knows) {
  const std::vector<Composition> own = usable(compositions, model);
  if (model.functions().empty() && !is_composed(model.graph(), own)) return {};
  add_opsets(model);
  Inliner inliner(model, own, knows, where);
  inliner.expand(*model.mutable_graph());
  model.clear_functions();
  return std::move(inliner.unreadable());
}

}  // namespace benanza::onnx
