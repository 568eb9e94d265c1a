#pragma once

#include "core/problem/ops/recurrent.h"

namespace benanza {

/// Which gradients of a recurrent network a call computes. Some libraries have one call for both,
/// others one for each; the call for the weights then runs after the one for the data and reads
/// what that left behind.
enum class RecurrentGradients { of_data, of_weights, of_both };

/// The gradients of a recurrent network by back-propagation through time (P. Werbos, 1990).
/// Keys: lstm_bwd/t5_n2_i16_h16_l1_forward_bias_initial_final (both),
/// lstm_bwd_data/t5_n2_i16_h16_l1_forward_bias_initial_final,
/// lstm_bwd_weights/t5_n2_i16_h16_l1_forward_bias_initial_final; likewise for the other kinds
struct RecurrentGradient {
  /// `training` is false.
  Recurrent forward;
  RecurrentGradients of = RecurrentGradients::of_both;

  bool operator==(const RecurrentGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op);
  std::string_view op() const;
  void map(KeyFields& fields);

  bool of_data() const { return of != RecurrentGradients::of_weights; }
  bool of_weights() const { return of != RecurrentGradients::of_data; }

  /// The network's operands, then the gradient of each of its results. What a library keeps from
  /// the forward call, and from the data gradients for the weight gradients, is computed outside
  /// the timed region.
  std::vector<Operand> inputs() const;
  /// All results one after the other.
  Dims output() const;
  /// Data: the gradients of the input and, if given, of the initial states. Weights: of weights,
  /// recurrence and biases. Both: data first.
  std::vector<Dims> results() const;
  /// Data and weights each have as many products as the forward call. Data adds the derivatives of
  /// gates and states; weights add the sums over steps and batch for the biases.
  double flops() const;
  /// The part of flops() spent in products.
  double product_flops() const;
  /// Elements that the call must read. Data: the weights, the gradients of the results, and one
  /// value per gate, step and entry that the forward call kept. Weights: the inputs and states of
  /// every layer, and as many gradients of gates. Both: what either reads except the gradients of
  /// gates.
  std::int64_t read_elements() const;
  /// The longest sum of products: over gates for data, over steps and batch for weights.
  std::int64_t reduction_length() const;
};

}  // namespace benanza
