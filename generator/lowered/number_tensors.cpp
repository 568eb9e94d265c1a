#include "generator/lowered/number_tensors.h"

#include <algorithm>
#include <map>
#include <utility>

namespace benanza {
namespace {

class Numbering {
 public:
  explicit Numbering(const LoweredGraph& graph) : graph_(graph) {
    for (const LoweredLayer& layer : graph.layers) {
      for (const Read& read : layer.reads) add(read);
    }
    for (const Read& read : graph.results) flow_.results.push_back(*add(read));
  }

  DataFlow run(std::vector<FusedCalls> fusions) {
    flow_.model = graph_.model;
    flow_.batch = graph_.batch;
    for (std::size_t index = 0; index < graph_.layers.size(); ++index) add_layer(index);
    for (FusedCalls& fused : fusions) {
      std::vector<FlowCall>& calls = flow_.fusions.emplace_back().calls;
      if (fused.call && renumber(*fused.call)) {
        calls.push_back(*std::move(fused.call));
        continue;
      }
      for (const Call& call : fused.calls) {
        calls.push_back(flow_call(graph_.layers[fused.layer], call));
      }
    }
    return std::move(flow_);
  }

 private:
  /// Empty for an omitted input.
  std::optional<std::size_t> add(const Read& read) {
    if (read.tensor == 0) return std::nullopt;
    const auto [found, is_new] = numbers_.try_emplace(read.tensor, flow_.tensors.size());
    if (!is_new) return found->second;
    FlowTensor tensor{.name = read.name,
                      .type = read.type,
                      .shape = read.given,
                      .layer = read.producer,
                      .constant = read.constant};
    if (read.producer) {
      const std::vector<Output>& made = graph_.layers[*read.producer].outputs;
      const auto output = std::ranges::find(made, read.name, &Output::name);
      if (output != made.end()) tensor.shape = output->shape;
      outputs_[{*read.producer, read.output}] = found->second;
    }
    const auto taken = graph_.taken.find(read.name);
    if (!read.producer && taken != graph_.taken.end()) tensor.taken = taken->second;
    flow_.tensors.push_back(std::move(tensor));
    return found->second;
  }

  void add_layer(std::size_t index) {
    const LoweredLayer& layer = graph_.layers[index];
    FlowLayer& made = flow_.layers.emplace_back();
    // An output that nobody reads has no tensor; its place is that of the layer's own, added here.
    const auto first = outputs_.lower_bound({index, 0});
    for (auto output = first; output != outputs_.end() && output->first.first == index; ++output) {
      while (made.outputs.size() < output->first.second) made.outputs.push_back(unread(index));
      made.outputs.push_back(output->second);
    }
    if (layer.constant) return;
    if (layer.cost == Cost::free) {
      for (const Read& read : layer.reads) {
        const auto tensor = add(read);
        if (!tensor || flow_.tensors[*tensor].constant || made.outputs.empty()) continue;
        const auto& from = flow_.tensors[*tensor].shape;
        if (from && element_count(*from) == 0) continue;
        const auto& to = flow_.tensors[made.outputs.front()].shape;
        if (from && to && element_count(*from) == element_count(*to)) made.view_of = *tensor;
        break;
      }
      return;
    }
    for (const Call& call : layer.calls) made.calls.push_back(flow_call(layer, call));
  }

  FlowCall flow_call(const LoweredLayer& layer, const Call& call) {
    FlowCall made{.problem = key(call.problem),
                  .from_offset = call.from_offset,
                  .to_offset = call.to_offset,
                  .output = static_cast<std::size_t>(call.output),
                  .part = call.writes_part,
                  .proxy = call.is_proxy,
                  .result_strides = call.result_strides};
    if (call.in_place) {
      const auto input = static_cast<std::size_t>(call.into.value_or(-1));
      if (input < layer.reads.size()) made.into = add(layer.reads[input]);
      // Into which part of a tensor, a flow file does not say.
      if (!made.into) made.proxy = true;
    }
    for (const Source& source : call.operands) {
      const auto index = static_cast<std::size_t>(source.index);
      FlowOperand operand{
          .scale = source.scale, .window = source.window, .numbers = source.numbers};
      if (source.kind == Source::Kind::call) {
        operand.kind = FlowOperand::Kind::call;
        operand.index = index;
      } else if (source.kind == Source::Kind::attribute) {
        if (source.index == Source::unstated) made.proxy = true;
        operand.kind = kind_of_attribute(source);
      } else {
        const auto tensor =
            index < layer.reads.size() ? add(layer.reads[index]) : std::optional<std::size_t>();
        // What stands for an omitted input is not known.
        if (!tensor) made.proxy = true;
        operand.index = tensor.value_or(0);
      }
      (source.strides.empty() ? operand.first : operand.offset) = source.part_from.value_or(0);
      operand.strides = source.strides;
      // Of matrices with gaps between them, a flow file does not say where they are.
      if (source.matrix_rows != 0) made.proxy = true;
      made.operands.push_back(operand);
    }
    if (call.gather) add_rows(layer, *call.gather, made);
    return made;
  }

  void add_rows(const LoweredLayer& layer, const RowChoice& choice, FlowCall& call) {
    const auto input = static_cast<std::size_t>(choice.indices);
    const auto indices =
        input < layer.reads.size() ? add(layer.reads[input]) : std::optional<std::size_t>();
    if (!indices) return;
    call.operands.push_back({.index = *indices});
    call.gather = choice.rows;
  }

  std::size_t unread(std::size_t layer) {
    flow_.tensors.push_back({.layer = layer});
    return flow_.tensors.size() - 1;
  }

  bool renumber(std::size_t& tensor) const {
    const auto found = numbers_.find(tensor);
    if (found == numbers_.end()) return false;
    tensor = found->second;
    return true;
  }
  bool renumber(std::optional<Statistics>& all) const {
    return !all || (renumber(all->scale) && renumber(all->shift) && renumber(all->mean) &&
                    renumber(all->variance));
  }
  bool renumber(FlowCall& call) const {
    for (FlowOperand& operand : call.operands) {
      if (operand.kind == FlowOperand::Kind::tensor && !renumber(operand.index)) return false;
      if (!renumber(operand.statistics)) return false;
    }
    for (Fold& fold : call.folds) {
      const bool has_tensor =
          fold.kind != Fold::Kind::linear && fold.kind != Fold::Kind::batch_normalization;
      if ((has_tensor && !renumber(fold.tensor)) || !renumber(fold.statistics)) return false;
    }
    return true;
  }

  const LoweredGraph& graph_;
  DataFlow flow_;
  /// From Read::tensor.
  std::map<std::size_t, std::size_t> numbers_;
  /// From layer and output.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> outputs_;
};

}  // namespace

FlowOperand::Kind kind_of_attribute(const Source& source) {
  switch (source.index) {
    case Source::causal:
      return FlowOperand::Kind::causal;
    case Source::zeros:
      return FlowOperand::Kind::zeros;
    case Source::stated:
      return FlowOperand::Kind::numbers;
    default:
      return FlowOperand::Kind::band;
  }
}

DataFlow number_tensors(const LoweredGraph& graph, std::vector<FusedCalls> fusions) {
  return Numbering(graph).run(std::move(fusions));
}

}  // namespace benanza
