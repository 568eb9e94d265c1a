#pragma once

#include <string_view>

#include "generator/lowered/lowered.h"

namespace benanza::training {

/// How weights are updated, as in PyTorch's optimizers of these names.
enum class Optimizer { sgd_momentum, adam };
std::string_view to_string(Optimizer optimizer);

/// Derives a model's training step from its `inference` graph: forward as training runs it (batch
/// normalization by the batch's statistics, dropout), a cross entropy after the first output (which
/// absorbs a softmax at the end), backward, and the optimizer's update of all trainable parameters
/// together. Operators that the exporter decomposed are put together first, so that the same
/// results are kept as in frameworks.
///   Trainable: constant weights of products and recurrences, scales and biases of normalizations,
///   vectors that are added to or multiply every channel or column, tables that rows are gathered
///   from, stored matrices that are added and parts of a Concat (positions, class tokens), unless
///   they are masks. No gradient is computed for what depends on the model's inputs alone: a first
///   layer's data. Every layer has its phase. Backward layers are named "<layer>.weight_gradient";
///   their operators are named as in ONNX Runtime, "ConvGrad". A tensor that several layers read
///   gets the sum of their gradients, "<layer>.gradient_sum", and so does a parameter,
///   "<layer>.parameter_sum".
/// Weights stay in the library's own format from call to call; packing them is not counted.
LoweredGraph training_step(const LoweredGraph& inference, Optimizer optimizer);

/// The number of trainable parameters of a training step's graph.
std::int64_t trainable_parameters(const LoweredGraph& step);

}  // namespace benanza::training
