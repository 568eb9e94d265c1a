#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// A fusion and what its call works on; empty if that is not known. Tensors are numbered as in
/// Read::tensor.
struct FoundFusion : Fusion {
  std::optional<FlowCall> call = {};
  /// Of a fusion of one layer that takes several calls: all that the layer does, if known.
  std::vector<Call> calls = {};
};

/// Finds calls that do the work of several calls: regions (region.h), whole operators
/// (whole/whole.h), stacks of recurrent layers, attention. Every intermediate result is read only
/// inside the fusion and is not an output of the model.
std::vector<FoundFusion> find_fusions(const std::vector<LoweredLayer>& layers);

/// Finds consecutive RNN, LSTM or GRU layers and makes them one call with several layers:
/// "lstm_lstm".
std::vector<Fusion> recurrent_stacks(const Flow& flow);

/// What a fused call under construction works on.
struct ChainOperands {
  /// Those of the first call.
  std::vector<FlowOperand> first;
  std::vector<Fold> folds;
  std::optional<FlowOperand> residual;
  /// Of the steps.
  std::vector<FlowOperand> steps;
  /// False if an operand is the result of a call that is not in the chain, or a call of the chain
  /// stands for what its node does.
  bool known = true;
};

/// A fused call under construction. `pattern` grows with every step: "conv_bn_add_relu".
struct Chain {
  std::string pattern;
  /// In data-flow order, including layers that only pass the result on.
  std::vector<std::size_t> layers;
  Problem problem;
  /// How many of the last layer's calls belong to the chain. Only if all do is the chain's result
  /// the layer's result.
  std::size_t calls = 1;
  /// Fusion::keeps_residual.
  bool keeps_residual = false;
  ChainOperands operands = {};
};

/// Where operand `source` of a call of layer `index` comes from; empty if it is the result of
/// another call of that layer.
std::optional<FlowOperand> flow_operand(const Flow& flow, std::size_t index, const Source& source);
/// What the chain's call works on.
std::optional<FlowCall> flow_call(const Chain& chain);

/// True if the chain's result is its last layer's result.
bool takes_all_calls(const Flow& flow, const Chain& chain);

/// The call that reads the chain's result.
struct NextCall {
  const Call& call;
  /// Layers that the step adds to the chain: those that pass the result on, then the reader. Empty
  /// if the call belongs to the chain's last layer.
  std::vector<std::size_t> layers;
  /// The layer of `call`.
  std::size_t layer;
  /// Which operand of the call is the chain's result.
  std::size_t operand;
};

/// Empty if the result has several readers, or its reader's first call does not read it.
std::optional<NextCall> next_call(const Flow& flow, const Chain& chain);

/// Returns `chain` with the next call added as a step named `name`.
Chain extended(Chain chain, const NextCall& next, const std::string& name);

}  // namespace benanza::fusion
