#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/onednn/plan.h"

/// Recurrent networks in the library's terms, for their forward calls and their gradients.
namespace benanza::onednn {

/// Refuses what the library has no network for: throws Unsupported.
void check_recurrence(const Recurrent& shape, const VariantContext& context);

dnnl::rnn_direction rnn_direction(const Recurrent& shape);
/// Of a network without gates.
dnnl::algorithm rnn_function(const Recurrent& shape);

/// The library's tensors. Those that the problem does not have are empty.
struct RecurrentTensors {
  RecurrentTensors(const Recurrent& shape, const VariantContext& context);

  Memory::desc x;
  Memory::desc weights;
  Memory::desc recurrence;
  Memory::desc bias;
  Memory::desc y;
  Memory::desc state;
  Memory::desc initial;
  Memory::desc last;
};

/// The forward call, for inference or for training; as what its gradients are asked for of.
Implementation recurrence(const Recurrent& shape, const VariantContext& context,
                          dnnl::prop_kind kind);

/// The forward call's operands in the problem's order, and what the library wants beside them.
void add_recurrent_operands(Plan& plan, const Recurrent& shape);

/// A sequence of `channels` per step and entry, as a result or an operand of the library's `id`.
Argument sequence_argument(const Recurrent& shape, int id, std::int64_t channels);
/// What the last layer makes: the problem has each direction's batch together, the library both
/// directions of an entry. As an operand where `is_operand`, else as a result.
Argument output_argument(const Recurrent& shape, int id, bool is_operand);
/// The states of all layers and directions.
Argument state_argument(const Recurrent& shape, int id);
/// Gradients of weights (of `inputs` columns) and of biases, as results.
Argument weight_gradient(const Recurrent& shape, int id, std::int64_t inputs);
Argument bias_gradient(const Recurrent& shape, int id);

}  // namespace benanza::onednn
