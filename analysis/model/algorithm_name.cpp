#include "analysis/model/algorithm_name.h"

namespace benanza::analysis {
namespace {

constexpr std::string_view unpacked = "unpacked.";

}  // namespace

bool unpacks_weights(std::string_view algorithm) { return algorithm.starts_with(unpacked); }

std::string_view to_string(AlgorithmKind kind) {
  switch (kind) {
    case AlgorithmKind::product:
      return "matrix product";
    case AlgorithmKind::direct:
      return "implicit product or direct";
    case AlgorithmKind::winograd:
      return "Winograd";
    case AlgorithmKind::fft:
      return "FFT";
  }
  return "";
}

AlgorithmKind kind_of(const VariantName& call) {
  std::string_view name = call.algorithm;
  if (unpacks_weights(name)) name.remove_prefix(unpacked.size());
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("winograd")) return AlgorithmKind::winograd;
  if (has("fft")) return AlgorithmKind::fft;
  const bool is_product = call.backend == "cublas" || name == "gemm" || name.starts_with("gemm:") ||
                          has(":gemm:") || name.starts_with("product.") ||
                          name.starts_with("inner_product.");
  return is_product ? AlgorithmKind::product : AlgorithmKind::direct;
}

bool is_called(std::string_view algorithm, std::string_view word, bool from_kernel) {
  algorithm = algorithm.substr(0, algorithm.find('.'));
  if (algorithm == word) return true;
  return from_kernel && ((word == "fft" && algorithm == "fft_tiling") ||
                         (word == "implicit_gemm" && algorithm == "implicit_precomp_gemm"));
}

}  // namespace benanza::analysis
