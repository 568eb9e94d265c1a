#pragma once

#include "core/problem/ops/recurrent.h"
#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// An LSTM of unsigned bytes with a zero point of 128, weights of signed bytes, and biases and
/// cells in fp32, in the units of harness/int8_scale.h. `context` is of integers. What the
/// library gains from a scale that never changes, a framework that scales every state does not
/// have.
Plan plan_int8_lstm(const Recurrent& shape, const VariantContext& context);

/// A cell as a result at int8, of its fp32 value. What was not written (NaN) becomes the poison of
/// integers.
float cell_in_steps(float value);

}  // namespace benanza::onednn
