#pragma once

#include <string>

#include "analysis/questions/findings/matter.h"
#include "core/problem/precision.h"

/// What to do about it: one sentence, and the line that does it, for the framework of the profile
/// or for a program that calls the libraries itself.
namespace benanza::analysis {

struct Remedy {
  std::string action{};
  std::string command{};
};

/// The GPU waits for the host. Only if there is a run.
Remedy remedy_for_launches(const Matter& matter);
/// Convolutions by slower algorithms than the fastest.
Remedy remedy_for_algorithms(const Matter& matter);
/// Layers that one call can do.
Remedy remedy_for_fusion(const Matter& matter);
/// Tensors in NCHW, where NHWC is faster.
Remedy remedy_for_layout(const Matter& matter);
/// A smaller type.
Remedy remedy_for_precision(const Matter& matter, Precision precision);
/// Branches one after the other.
Remedy remedy_for_branches(const Matter& matter);
/// Operators of a run that take longer than the fastest calls; `op` is the ONNX operator.
Remedy remedy_for_operators(const Matter& matter, const std::string& op);
/// Fewer threads are as fast.
Remedy remedy_for_threads(const Matter& matter, std::int64_t threads);

}  // namespace benanza::analysis
