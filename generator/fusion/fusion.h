#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// Calls that do the work of several calls of a graph: regions (region.h), whole operators
/// (whole/whole.h), stacks of recurrent layers, attention. Every inner result is read inside only
/// and is no output of the model.
std::vector<Fusion> find_fusions(const std::vector<LoweredLayer>& layers);

/// RNN, LSTM or GRU layers over each other become one call with several layers: "lstm_lstm".
std::vector<Fusion> recurrent_stacks(const Flow& flow);

/// A call in the making. `pattern` grows with every step: "conv_bn_add_relu".
struct Chain {
  std::string pattern;
  /// Along the flow, layers that only pass the result on included.
  std::vector<std::size_t> layers;
  Problem problem;
  /// How many of the last layer's calls are the chain's. The result is what the layer makes only
  /// if they all are.
  std::size_t calls = 1;
  /// Fusion::keeps_residual.
  bool keeps_residual = false;
};

/// True if the chain's result is what its last layer makes.
bool takes_all_calls(const Flow& flow, const Chain& chain);

/// The call that reads the chain's result.
struct NextCall {
  const Call& call;
  /// Layers that the step adds to the chain: those that pass the result on, then the reader's.
  /// Empty where the call is one of the chain's last layer.
  std::vector<std::size_t> layers;
  /// The layer of `call`.
  std::size_t layer;
  /// Which of the call's operands is the chain's result.
  std::size_t operand;
};

/// Empty if the result has several readers, or is not what its reader's first call reads.
std::optional<NextCall> next_call(const Flow& flow, const Chain& chain);

/// `chain` and the next call as one step of it called `name`.
Chain extended(Chain chain, const NextCall& next, const std::string& name);

}  // namespace benanza::fusion
