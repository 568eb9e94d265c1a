#pragma once

#include <optional>
#include <string>

#include "core/problem/precision.h"

namespace benanza {

/// One call that does a layer's work, as logged by one of NVIDIA's libraries.
struct LibraryCall {
  /// "cudnn", "cublas" or "cublaslt".
  std::string library{};
  std::string function{};
  /// Key of the problem; empty if no problem describes the call.
  std::string problem{};
  /// Of a call without a problem, what it is or why it has none: "MATMUL POINTWISE", the operations
  /// of a graph; "epilogue RELU_AUX, gemm/m64_n256_k512_nt".
  std::string detail{};
  /// The algorithm in the library's words: "engine 28 TILE_SIZE=4", "implicit_gemm", "algorithm
  /// 13"; a graph's engine behind the suites' word for how the graph states the problem
  /// ("residual."), if it is not the usual way. Empty if the log does not contain it.
  std::string algorithm{};
  /// Precision of the data.
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
  /// What the problem passes over: "result R_32F" of another type than the operands, "gaps" between
  /// the elements of a tensor; both: "result R_32F, gaps".
  std::string remarks{};
};

}  // namespace benanza
