#pragma once

#include "core/problem/ops/recurrent.h"

namespace benanza {

/// Which gradients of a recurrent network a call makes. Some libraries have a call for both, some
/// one for each; that for the weights runs after that for the data and reads what it left behind.
enum class RecurrentGradients { of_data, of_weights, of_both };

/// The gradients of a recurrent network by back-propagation through time (P. Werbos, 1990).
/// Keys: lstm_bwd_data/, lstm_bwd_weights/, lstm_bwd/ (of both), and so for the other kinds, with
/// the network's fields
struct RecurrentGradient {
  /// `training` is false.
  Recurrent forward;
  RecurrentGradients of = RecurrentGradients::of_both;

  bool operator==(const RecurrentGradient&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op);
  std::string_view op() const;
  void write(KeyWriter& writer) const { forward.write(writer); }
  static RecurrentGradient read(KeyReader& reader);

  bool of_data() const { return of != RecurrentGradients::of_weights; }
  bool of_weights() const { return of != RecurrentGradients::of_data; }

  /// The network's operands, then the gradient of each of its results. What a library keeps of the
  /// forward call, and of the data's gradients for those of the weights, is made outside of the
  /// time.
  std::vector<Operand> inputs() const;
  /// All results one after the other.
  Dims output() const;
  /// Of data: the gradients of the input and of the initial states where they are given. Of
  /// weights: of weights, recurrence and biases. Of both: those of the data first.
  std::vector<Dims> results() const;
  /// Of data and of weights as many products as the forward call has. Of data also what the
  /// derivatives of gates and states take, of weights the sums over steps and batch for the biases.
  double flops() const;
  /// Elements that the call must read: of data the weights, the gradients of the results and a
  /// value for each gate, step and entry that the forward call kept; of weights the inputs and
  /// states of every layer, and as many gradients of gates; of both what either reads but for the
  /// latter.
  std::int64_t read_elements() const;
  /// The longest sum of products: over gates for data, over steps and batch for weights.
  std::int64_t reduction_length() const;
};

}  // namespace benanza
