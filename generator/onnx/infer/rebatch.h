#pragma once

#include "generator/onnx/infer/context.h"

namespace benanza::onnx {

/// Exporters bake the batch into the target of Reshape ([1, 1024]). Where the target fits the batch
/// it was written for and the input has exactly `batch / old_batch` times its elements, inference
/// is shown a target with the first extent scaled alike.
void rebatch_reshape(NodeContext& context, const Program& program, const Step& reshape,
                     std::int64_t old_batch, std::int64_t batch);

/// The scaled target; empty if `target` needs no change or allows none.
std::optional<Dims> rebatched(const Dims& target, const Dims& input, bool zero_copies,
                              std::int64_t old_batch, std::int64_t batch);

/// Constants that a step joins with data of the new batch (a class token, initial states), and that
/// were made for `old_batch`, are read as if they had been made for `batch`; so are the sizes of
/// Resize.
void widen_constants(Program& program, Step& step, std::int64_t old_batch, std::int64_t batch);

}  // namespace benanza::onnx
