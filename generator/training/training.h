#pragma once

#include <string_view>

#include "generator/lowered/lowered.h"

namespace benanza::training {

/// How weights are updated, as PyTorch's optimizers of these names do it.
enum class Optimizer { sgd_momentum, adam };
std::string_view to_string(Optimizer optimizer);

/// The training step of a model of which `inference` is known: forward as training runs it (batch
/// normalization by the batch's statistics, dropout), a cross entropy behind the first output (a
/// softmax at the end is taken for its own), backward, and the optimizer's update of all trainable
/// parameters together. Operators that the exporter took apart are put together first: what was
/// kept of them is what frameworks keep.
///   Trainable: constant weights of products and recurrences, scales and biases of normalizations,
///   vectors that are added to or multiply every channel or column, tables that rows are taken
///   from. No gradient is computed of what only the model's inputs lead to: a first layer's data.
///   Every layer has its phase, and its backward layers, named "<layer>.weight_gradient", the ONNX
///   Runtime-like operator "ConvGrad". A tensor that several layers read gets the sum of their
///   gradients, "<layer>.gradient_sum".
/// Weights are in the library's own format from call to call; packing them is not counted.
LoweredGraph training_step(const LoweredGraph& inference, Optimizer optimizer);

/// Elements of the trainable parameters of a step's graph.
std::int64_t trainable_parameters(const LoweredGraph& step);

}  // namespace benanza::training
