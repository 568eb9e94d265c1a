#pragma once

#include "core/problem/operand.h"

namespace benanza {

enum class RecurrentKind { rnn_tanh, rnn_relu, lstm, gru };
enum class RecurrentDirection { forward, reverse, bidirectional };

/// A recurrent network over sequences of equal length, as ONNX RNN, LSTM and GRU with their default
/// activations. ONNX has one layer per node; libraries run several in one call.
///
/// Below, D is the number of directions and G the number of gates (in ONNX's order: iofc for lstm,
/// zrh for gru). Operands:
///   input    steps x batch x input size; batch x steps x input size if batch_first
///   weights  D x (G hidden) x input size; layers are concatenated
///   recurrence  (layers D) x (G hidden) x hidden
///   bias     (layers D) x (2 G hidden): for the input's products, then for the recurrence's
///   initial_h, initial_c (lstm)  (layers D) x batch x hidden; zero if `initial` is false
/// The result is the concatenation of results(). Layers after the first read both directions of the
/// previous one.
/// Keys: lstm/t5_n2_i16_h16_l1_forward_bias, gru/t5_n2_i16_h16_l1_forward_lbr_bias (linear before
/// reset), rnntanh/t5_n2_i16_h16_l1_forward_bias; with _initial, _final, _batchfirst, _training
/// after _bias
struct Recurrent {
  RecurrentKind kind = RecurrentKind::lstm;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t input_size = 0;
  std::int64_t hidden = 0;
  std::int64_t layers = 1;
  RecurrentDirection direction = RecurrentDirection::forward;
  /// gru: the reset gate is applied to the recurrent product, not to the state before it.
  bool linear_before_reset = false;
  bool bias = false;
  /// Initial states are operands; otherwise they are zero.
  bool initial = false;
  /// Final states are results, too.
  bool final = false;
  /// Input and output have the batch as outermost axis, not the steps.
  bool batch_first = false;
  /// The call keeps what its gradients need, in a library-specific form that does not count as a
  /// result.
  bool training = false;

  bool operator==(const Recurrent&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op);
  std::string_view op() const;
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const;
  /// Rows of D * batch * hidden elements.
  Dims output() const;
  /// Y: steps x D x batch x hidden (batch_first: batch x steps x D x hidden). With `final`: the
  /// last states of every layer and direction, (layers D) x batch x hidden; for lstm also the
  /// cells'.
  std::vector<Dims> results() const;
  /// Products with weights, two per multiply-add: 2 * steps * batch * D * G * hidden * (inputs +
  /// hidden) for every layer. Then one per element for each bias added, activation, product and sum
  /// of the ONNX definition; the two biases count as one if they can be folded.
  double flops() const;
  /// The part of flops() spent in products with weights.
  double product_flops() const;
  /// Biases added to the gates of a hidden unit; the two of a gate count as one if they can be
  /// folded.
  std::int64_t biases() const;
  /// The longest sum of products: over the inputs and state of a layer.
  std::int64_t reduction_length() const;

  std::int64_t directions() const { return direction == RecurrentDirection::bidirectional ? 2 : 1; }
  std::int64_t gates() const;
  /// Vectors that a cell keeps from step to step: 2 for lstm, otherwise 1.
  std::int64_t states() const { return kind == RecurrentKind::lstm ? 2 : 1; }
  std::int64_t layer_inputs(std::int64_t layer) const {
    return layer == 0 ? input_size : directions() * hidden;
  }
  /// Offset of the weights of a layer and direction in the operand, in elements.
  std::int64_t weights_begin(std::int64_t layer, std::int64_t direction_index) const;
};

}  // namespace benanza
