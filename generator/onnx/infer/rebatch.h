#pragma once

#include "generator/onnx/infer/schema.h"

namespace benanza::onnx {

/// Exporters store the batch size in the target shape of Reshape ([1, 1024]). If the target fits
/// the old batch size and the input has exactly `batch / old_batch` times its elements, inference
/// sees a target with one extent scaled by the same factor.
void rebatch_reshape(NodeContext& context, const Step& reshape, std::int64_t old_batch,
                     std::int64_t batch);

/// `target` with its batch scaled: the first extent that the input has not, or the first one. Empty
/// if that is not needed or not possible.
std::optional<Dims> rebatched(const Dims& target, const Dims& input, bool zero_copies,
                              std::int64_t old_batch, std::int64_t batch);

/// Replaces constants made for `old_batch` (a class token, initial states), which a step combines
/// with data of the new batch size, with copies widened to `batch`. Does the same for the `sizes`
/// of Resize.
void widen_constants(Program& program, Step& step, std::int64_t old_batch, std::int64_t batch);

}  // namespace benanza::onnx
