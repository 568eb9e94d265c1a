#include "generator/fusion/fusion.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "generator/fusion/attention.h"
#include "generator/fusion/parts.h"
#include "generator/fusion/region.h"
#include "generator/fusion/whole/whole.h"
#include "generator/lowered/number_tensors.h"

namespace benanza::fusion {
namespace {

/// True if layer `index` passes on all elements that `producer` makes.
bool passes_on(const Flow& flow, std::size_t index, std::size_t producer, std::int64_t elements) {
  const LoweredLayer& layer = flow.layer(index);
  return flow.passes_on(index) && layer.reads[0].producer == producer &&
         element_count(*layer.outputs[0].shape) == elements;
}

/// Which operand of call `next` of the layer satisfies `matches`; empty if several operands, or
/// operands of other calls of the layer, do.
template <class Matches>
std::optional<std::size_t> only_operand(const LoweredLayer& layer, std::size_t next,
                                        Matches matches) {
  std::optional<std::size_t> found;
  for (std::size_t index = 0; index < layer.calls.size(); ++index) {
    const std::vector<Source>& operands = layer.calls[index].operands;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      if (!matches(operands[operand])) continue;
      if (index != next || found) return std::nullopt;
      found = operand;
    }
  }
  return found;
}

/// True if the result is laid out as the next layer of a stack reads it: both directions of a step
/// and batch entry contiguous.
bool directions_lie_together(const Recurrent& shape) {
  return shape.batch_first || shape.directions() == 1 || shape.batch == 1;
}

/// `lower` followed by `upper` as one network with several layers, if they fit.
std::optional<Recurrent> stacked(const Recurrent& lower, const Recurrent& upper) {
  // No node of the model has the last states of the lower layers.
  if (lower.final || upper.final || !directions_lie_together(lower)) return std::nullopt;
  Recurrent wanted = lower;
  wanted.layers = 1;
  wanted.input_size = lower.directions() * lower.hidden;
  if (upper != wanted) return std::nullopt;
  Recurrent stack = lower;
  ++stack.layers;
  return stack;
}

std::optional<Chain> with_layer(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next || next->operand != 0) return std::nullopt;
  const auto* upper = std::get_if<Recurrent>(&next->call.problem.shape);
  if (upper == nullptr) return std::nullopt;
  const auto stack = stacked(std::get<Recurrent>(chain.problem.shape), *upper);
  if (!stack) return std::nullopt;
  Chain longer = extended(chain, *next, std::string(upper->op()));
  longer.problem.shape = *stack;
  return longer;
}

}  // namespace

bool takes_all_calls(const Flow& flow, const Chain& chain) {
  return chain.calls == flow.layer(chain.layers.back()).calls.size();
}

std::optional<NextCall> next_call(const Flow& flow, const Chain& chain) {
  const std::size_t last = chain.layers.back();
  if (!takes_all_calls(flow, chain)) {
    // The node's own next call: bias, addend or second function.
    const LoweredLayer& layer = flow.layer(last);
    const auto operand = only_operand(layer, chain.calls, [&](const Source& source) {
      return source.kind == Source::Kind::call && source.index == static_cast<int>(chain.calls) - 1;
    });
    if (!operand) return std::nullopt;
    return NextCall{layer.calls[chain.calls], {}, last, *operand};
  }
  const std::int64_t elements = element_count(output(chain.problem));
  std::vector<std::size_t> passed;
  std::size_t producer = last;
  std::optional<std::size_t> reader = flow.reader(producer);
  while (reader && passes_on(flow, *reader, producer, elements)) {
    passed.push_back(*reader);
    producer = *reader;
    reader = flow.reader(producer);
  }
  if (!reader) return std::nullopt;
  const LoweredLayer& layer = flow.layer(*reader);
  if (layer.cost != Cost::measured || layer.calls.empty() || layer.outputs.size() != 1 ||
      !layer.precision.empty()) {
    return std::nullopt;
  }
  const auto operand = only_operand(
      layer, 0, [&](const Source& source) { return flow.comes_from(*reader, source, producer); });
  if (!operand) return std::nullopt;
  passed.push_back(*reader);
  return NextCall{layer.calls[0], std::move(passed), *reader, *operand};
}

Chain extended(Chain chain, const NextCall& next, const std::string& name) {
  chain.pattern += '_' + name;
  chain.layers.insert(chain.layers.end(), next.layers.begin(), next.layers.end());
  chain.calls = next.layers.empty() ? chain.calls + 1 : 1;
  chain.operands.known = chain.operands.known && !next.call.is_proxy;
  return chain;
}

namespace {

/// True if the region is one operator of frameworks that exporters take apart: a product and its
/// bias (a linear layer).
bool is_one_operator(const Fusion& region) {
  if (region.layers.size() == 1) return false;
  constexpr std::string_view biased[] = {"conv_bias", "deconv_bias", "gemm_bias"};
  return std::ranges::find(biased, region.pattern) != std::end(biased);
}

void add(const WholeOperator& whole, std::vector<FoundFusion>& fusions) {
  FlowCall call{.problem = key(whole.problem)};
  bool known = whole.operands.size() == inputs(whole.problem).size();
  for (const Read& read : whole.operands) {
    known = known && read.tensor != 0;
    call.operands.push_back({.index = read.tensor});
  }
  fusions.push_back(
      {{.pattern = whole.name, .layers = whole.layers, .problem = call.problem, .whole = true},
       known ? std::optional(std::move(call)) : std::nullopt});
}

/// Adds the regions in which a whole operator is one call, with the layers that it replaces; only
/// those that start with one of `first`, unless it is empty.
void add_regions_of(const Flow& flow, const std::vector<WholeOperator>& operators,
                    const std::set<std::size_t>& first, std::vector<FoundFusion>& fusions) {
  const Condensed graph = condensed(flow, operators);
  if (graph.layers.size() == flow.size()) return;
  for (FoundFusion& fusion : regions(Flow(graph.layers), std::vector<bool>(graph.layers.size()))) {
    if (!first.empty() && !first.contains(graph.originals[fusion.layers.front()].front())) {
      continue;
    }
    std::vector<std::size_t> layers;
    for (const std::size_t layer : fusion.layers) {
      const auto& originals = graph.originals[layer];
      layers.insert(layers.end(), originals.begin(), originals.end());
    }
    if (layers.size() == fusion.layers.size()) continue;
    // The layers of a whole operator may lie on both sides of others of the region.
    std::ranges::sort(layers);
    fusion.layers = std::move(layers);
    fusions.push_back(std::move(fusion));
  }
}

/// In addition to the regions of their parts, for libraries without a call for the whole.
void add_group_normalizations(const Flow& flow, std::vector<WholeOperator> operators,
                              std::vector<FoundFusion>& fusions) {
  std::set<std::size_t> first;
  for (WholeOperator& group : group_normalizations(flow)) {
    add(group, fusions);
    if (!std::holds_alternative<InstanceNormalization>(group.problem.shape)) continue;
    first.insert(group.layers.front());
    operators.push_back(std::move(group));
  }
  if (!first.empty()) add_regions_of(flow, operators, first, fusions);
}

}  // namespace

std::vector<FoundFusion> find_fusions(const std::vector<LoweredLayer>& layers) {
  const Flow flow(layers);
  std::vector<WholeOperator> operators = whole_operators(flow);
  std::vector<bool> inside(flow.size(), false);
  for (const WholeOperator& whole : operators) {
    // Operators that only few libraries do in one call also stay regions of their parts.
    const bool is_rare = std::holds_alternative<Rotary>(whole.problem.shape);
    if (whole.layers.size() == 1 || is_rare) continue;
    for (const std::size_t layer : whole.layers) inside[layer] = true;
  }
  std::vector<FoundFusion> fusions = regions(flow, inside);
  for (FoundFusion& fusion : fusions) fusion.whole = is_one_operator(fusion);
  for (const WholeOperator& whole : operators) add(whole, fusions);
  add_regions_of(flow, operators, {}, fusions);
  add_group_normalizations(flow, std::move(operators), fusions);
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const auto& whole = flow.layer(index).whole;
    if (!whole) continue;
    fusions.push_back({{.pattern = std::string(op(*whole)),
                        .layers = {index},
                        .problem = key(*whole),
                        .whole = true}});
  }
  for (LayerByParts& apart : layers_by_parts(flow)) {
    std::vector<Call> calls = apart.known ? std::move(apart.calls) : std::vector<Call>();
    fusions.push_back({std::move(apart), std::nullopt, std::move(calls)});
  }
  for (Fusion& stack : recurrent_stacks(flow)) fusions.push_back({std::move(stack)});
  for (const auto find : {attention_layers, attention_patterns}) {
    for (FoundFusion& fusion : find(flow)) {
      fusion.whole = true;
      fusions.push_back(std::move(fusion));
    }
  }
  return fusions;
}

std::vector<Fusion> recurrent_stacks(const Flow& flow) {
  std::vector<Fusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const LoweredLayer& layer = flow.layer(index);
    if (layer.cost != Cost::measured || layer.calls.size() != 1) continue;
    const auto* first = std::get_if<Recurrent>(&layer.calls[0].problem.shape);
    if (first == nullptr) continue;
    std::optional<Chain> chain =
        Chain{.pattern = std::string(first->op()), .layers = {index}, .problem = {*first, {}}};
    while ((chain = with_layer(flow, *chain))) {
      fusions.push_back({chain->pattern, chain->layers, key(chain->problem)});
    }
  }
  return fusions;
}

std::optional<FlowOperand> flow_operand(const Flow& flow, std::size_t index, const Source& source) {
  switch (source.kind) {
    case Source::Kind::call:
      return std::nullopt;
    case Source::Kind::attribute:
      if (source.index == Source::unstated) return std::nullopt;
      return FlowOperand{
          .kind = kind_of_attribute(source), .window = source.window, .numbers = source.numbers};
    case Source::Kind::input:
      break;
  }
  const Read* const read = flow.read(index, source);
  if (read == nullptr || read->tensor == 0) return std::nullopt;
  return FlowOperand{.index = read->tensor, .scale = source.scale};
}

std::optional<FlowCall> flow_call(const Chain& chain) {
  const ChainOperands& known = chain.operands;
  if (!known.known) return std::nullopt;
  FlowCall call{.problem = key(chain.problem), .operands = known.first, .folds = known.folds};
  if (chain.problem.epilogue.bias) call.operands.push_back({.kind = FlowOperand::Kind::bias});
  if (known.residual) call.operands.push_back(*known.residual);
  call.operands.insert(call.operands.end(), known.steps.begin(), known.steps.end());
  if (call.operands.size() != inputs(chain.problem).size()) return std::nullopt;
  return call;
}

}  // namespace benanza::fusion
