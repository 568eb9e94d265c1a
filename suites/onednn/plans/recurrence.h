#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/onednn/ways/attempt.h"

/// Recurrent networks in oneDNN's terms, for their forward calls and their gradients.
namespace benanza::onednn {

/// Throws Unsupported for networks that the library does not support.
void check_recurrence(const Recurrent& shape, const VariantContext& context);

dnnl::rnn_direction rnn_direction(const Recurrent& shape);
/// The activation of a network without gates.
dnnl::algorithm rnn_function(const Recurrent& shape);

/// How weights lie in memory: as the library likes them best, or row by row, which leaves it only
/// its code of plain matrix products.
enum class RecurrentWeights { chosen_by_library, row_major };

/// The library's memory descriptors; empty for absent tensors.
struct RecurrentTensors {
  RecurrentTensors(const Recurrent& shape, const VariantContext& context,
                   RecurrentWeights weights = RecurrentWeights::chosen_by_library);

  Memory::desc x;
  Memory::desc weights;
  Memory::desc recurrence;
  Memory::desc bias;
  Memory::desc y;
  Memory::desc state;
  Memory::desc initial;
  Memory::desc last;
};

/// Creates the forward primitive for inference or training.
Implementation recurrence(const Recurrent& shape, const VariantContext& context,
                          dnnl::prop_kind kind,
                          RecurrentWeights weights = RecurrentWeights::chosen_by_library);

/// Adds the forward call's operands, in the problem's order, and the other required arguments.
void add_recurrent_operands(Plan& plan, const Recurrent& shape);

/// A sequence of `channels` values per step and batch entry, as a result or an operand, for
/// argument `id`.
Argument sequence_argument(const Recurrent& shape, int id, std::int64_t channels);
/// The last layer's output, as an operand or as a result: the problem stores each direction's batch
/// together, the library both directions of a batch entry.
Argument output_argument(const Recurrent& shape, int id, bool is_operand);
/// The states of all layers and directions.
Argument state_argument(const Recurrent& shape, int id);
/// Gradients of weights (of `inputs` columns) and of biases, as results.
Argument weight_gradient(const Recurrent& shape, int id, std::int64_t inputs);
Argument bias_gradient(const Recurrent& shape, int id);

}  // namespace benanza::onednn
