#pragma once

#include <optional>
#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Records what the step puts into a sequence (Value::sequence). Records nothing if positions are
/// known only when the model runs, or if the contents of a sequence are unknown. Throws Error if a
/// tensor is split into parts that do not fit.
void follow_sequences(const Step& step);

/// For a SequenceAt or ConcatFromSequence of a known sequence: steps without sequences that do the
/// same, from the tensors themselves (Identity or Slice, Squeeze, Unsqueeze, Concat); for an
/// OptionalGetElement of a value that is there, an Identity. Empty for other steps.
std::vector<Step> without_sequences(Program& program, const Step& step);

/// The result of a SequenceLength step, if the length is known; empty for other steps.
std::optional<std::int64_t> sequence_length(const Step& step);

/// The result of an OptionalHasElement step, if the file says it; empty for other steps.
std::optional<bool> has_element(const Program& program, const Step& step);

}  // namespace benanza::onnx
