#include "generator/onnx/lowering.h"

#include <algorithm>

#include "generator/onnx/subgraph.h"

namespace benanza::onnx {
namespace {

/// What the layer must move at the least: every input and output once, floating types as fp32.
std::optional<double> traffic_bytes(const Site& site) {
  std::int64_t total = 0;
  const auto add = [&](const Tensor& tensor) {
    if (!tensor.shape || type_bytes(tensor.type) == 0) return false;
    total += element_count(*tensor.shape) * type_bytes(tensor.type);
    return true;
  };
  for (std::size_t index = 0; index < site.input_count(); ++index) {
    if (site.has_input(index) && !add(site.input(index))) return std::nullopt;
  }
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    if (site.has_output(index) && !add(site.output(index))) return std::nullopt;
  }
  return static_cast<double>(total);
}

void check_extents(const Lowered& lowered) {
  for (const Call& call : lowered.calls) {
    for (const Operand& operand : inputs(call.problem)) {
      if (element_count(operand.dims) < 1) throw NotExpressible("an operand is empty");
    }
  }
}

/// Inference and lowering read the attributes independently: a layer on whose result they disagree
/// is not measured as something else.
void check_result(const Site& site, const Lowered& lowered) {
  if (lowered.cost != Cost::measured || lowered.calls.empty()) return;
  const Call& last = lowered.calls.back();
  const std::vector<Dims> parts = results(last.problem);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t index = static_cast<std::size_t>(last.output) + part;
    if (!site.has_output(index)) continue;
    const Dims& expected = site.output_shape(index);
    if (checked_element_count(parts[part]) != checked_element_count(expected)) {
      throw NotExpressible("computes " + join(parts[part], 'x') + " where the model expects " +
                           join(expected, 'x'));
    }
  }
}

void check_type(const Site& site, const Lowered& lowered) {
  if (lowered.cost != Cost::measured || lowered.types == Types::checked_by_lowering) return;
  const auto check = [](int type) {
    if (!is_floating(type)) throw NotExpressible(type_name(type) + " arithmetic");
  };
  check(site.input(0).type);
  std::size_t index = 0;
  while (index < site.output_count() && !site.has_output(index)) ++index;
  if (index < site.output_count()) check(site.output(index).type);
}

bool makes_nothing(const Site& site) {
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    if (!site.has_output(index)) continue;
    const Tensor& tensor = site.output(index);
    if (!tensor.shape || element_count(*tensor.shape) != 0) return false;
  }
  return true;
}

Lowered lower(const Site& site, const LoweringTable& table, bool all_outputs_constant) {
  if (all_outputs_constant) return free_layer("computed from constants and shapes alone");
  const Node& node = site.node();
  if (node.has_subgraph()) {
    throw NotExpressible("what its body does is only known when the model runs: hides " +
                         hidden_nodes(node.proto()));
  }
  const LowerFunction function = table.find(node.full_type());
  if (function == nullptr) throw NotExpressible("no lowering for " + node.full_type());
  Lowered lowered = function(site);
  if (makes_nothing(site)) return free_layer("its result is empty");
  check_type(site, lowered);
  check_extents(lowered);
  check_result(site, lowered);
  return lowered;
}

}  // namespace

namespace {

LoweredLayer make_layer(const Site& site, Lowered lowered) {
  LoweredLayer layer;
  layer.op = site.node().full_type();
  layer.cost = lowered.cost;
  layer.reason = std::move(lowered.reason);
  layer.calls = std::move(lowered.calls);
  for (const Call& call : layer.calls) layer.problems.push_back(key(call.problem));
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    if (!site.has_output(index)) continue;
    const Tensor& tensor = site.output(index);
    layer.outputs.push_back({tensor.name, type_name(tensor.type), tensor.shape});
  }
  if (layer.cost == Cost::unsupported) {
    layer.bytes = traffic_bytes(site);
    return layer;
  }
  layer.flops = 0;
  layer.bytes = 0;
  if (layer.cost == Cost::free) return layer;
  for (const Call& call : layer.calls) {
    const Work done = work(call.problem, Precision::fp32);
    *layer.flops += done.flops;
    *layer.bytes += static_cast<double>(done.bytes());
  }
  return layer;
}

}  // namespace

LoweredLayer unsupported_layer(const Site& site, std::string reason) {
  return make_layer(site, {Cost::unsupported, std::move(reason), {}, Types::floating_only});
}

LoweredLayer lower_node(const Site& site, const LoweringTable& table, bool all_outputs_constant) {
  try {
    return make_layer(site, lower(site, table, all_outputs_constant));
  } catch (const NotExpressible& reason) {
    return unsupported_layer(site, reason.what());
  }
}

}  // namespace benanza::onnx
