#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// Calls that do the work of several calls of a graph: a product (convolution, transposed
/// convolution, matrix product) and what follows it along the data flow, in the order in which
/// libraries apply it: bias, batch normalization folded into the weights, residual, activation.
/// Every inner result has one reader and is no output of the model. Every prefix of a chain is a
/// fusion, too: it may be cheaper, or all that the library has. One file per pattern.
std::vector<Fusion> find_fusions(const std::vector<LoweredLayer>& layers);

/// RNN, LSTM or GRU layers over each other become one call with several layers: "lstm_lstm".
std::vector<Fusion> recurrent_stacks(const Flow& flow);

/// A call in the making. `pattern` grows with every step: "conv_bn_add_relu".
struct Chain {
  std::string pattern;
  /// Along the flow, layers that only pass the result on included.
  std::vector<std::size_t> layers;
  Problem problem;
  /// The last layer's call is the last of the chain's: the result is what the layer makes.
  bool takes_all_calls = true;
  /// Fusion::keeps_residual.
  bool keeps_residual = false;
};

/// The product that layer `index` begins with.
std::optional<Chain> product_chain(const Flow& flow, std::size_t index);

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

/// Empty if the result has several readers, or its reader makes more than one call of it.
std::optional<NextCall> next_call(const Flow& flow, const Chain& chain);

/// The chain with one step more; empty where the next call is another one.
using ChainStep = std::optional<Chain> (*)(const Flow&, const Chain&);

/// A constant with one value per filter or column is added: a bias.
std::optional<Chain> with_bias(const Flow& flow, const Chain& chain);
/// A batch normalization of constants goes into constant weights and a bias:
/// w' = w f and b' = (b - mean) f + shift with f = scale / sqrt(variance + epsilon), per filter.
std::optional<Chain> with_batch_normalization(const Flow& flow, const Chain& chain);
/// Another tensor of equal extents is added.
std::optional<Chain> with_residual(const Flow& flow, const Chain& chain);
/// A function of every element, one of is_epilogue()'s.
std::optional<Chain> with_activation(const Flow& flow, const Chain& chain);

/// `chain` and the next call as one step of it called `name`.
Chain extended(Chain chain, const NextCall& next, const std::string& name);

}  // namespace benanza::fusion
