#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// The format of rows as images of one pixel, with a row's elements as innermost channels.
nvidia::TensorFormat rows_of_channels(Precision precision, std::int64_t rows, std::int64_t length);

std::vector<GraphCall> layer_normalization_graphs(const LayerNormalization& shape,
                                                  const harness::Variant& variant);
std::vector<GraphCall> instance_normalization_graphs(const InstanceNormalization& shape,
                                                     const harness::Variant& variant);
/// For rows that are contiguous: not for channels last. With the problem's steps.
std::vector<GraphCall> instance_normalization_sequences(const InstanceNormalization& shape,
                                                        const harness::Variant& variant);

}  // namespace benanza::cudnn
