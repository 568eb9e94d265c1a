#pragma once

#include "core/problem/problem.h"
#include "suites/onednn/plan.h"

/// The operators oneDNN has, a file and a line each. An alternative of Shape that is not here is
/// unsupported.
namespace benanza::onednn {

Solver solver(const Convolution& shape, const Problem& problem);
Solver solver(const Gemm& shape, const Problem& problem);
Solver solver(const Pooling& shape, const Problem& problem);
Solver solver(const BatchNormalization& shape, const Problem& problem);
Solver solver(const Activation& shape, const Problem& problem);
Solver solver(const Binary& shape, const Problem& problem);
Solver solver(const Softmax& shape, const Problem& problem);
Solver solver(const Lrn& shape, const Problem& problem);
Solver solver(const Reduction& shape, const Problem& problem);
Solver solver(const Concat& shape, const Problem& problem);
Solver solver(const Copy& shape, const Problem& problem);
Solver solver(const Deconvolution& shape, const Problem& problem);
Solver solver(const LayerNormalization& shape, const Problem& problem);
Solver solver(const InstanceNormalization& shape, const Problem& problem);
Solver solver(const Resampling& shape, const Problem& problem);
Solver solver(const Quantization& shape, const Problem& problem);
Solver solver(const Recurrent& shape, const Problem& problem);
Solver solver(const Attention& shape, const Problem& problem);

}  // namespace benanza::onednn
