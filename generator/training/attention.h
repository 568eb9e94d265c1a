#pragma once

#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/training/step_builder.h"

namespace benanza::training {

/// Finds attention in the first `forward` layers of a step and its gradients among those that
/// `builder` has added. Each becomes one fusion of two problems, the attention and its gradient:
/// one alone is no way to do the step, because a call for the attention does not store the weights
/// that the layers of the gradient read. Left out where something else reads an intermediate
/// result, such as a trained mask.
std::vector<Fusion> attention_steps(const std::vector<LoweredLayer>& forward,
                                    const std::vector<LoweredLayer>& step,
                                    const StepBuilder& builder);

}  // namespace benanza::training
