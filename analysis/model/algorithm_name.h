#pragma once

#include <string_view>

#include "core/problem/name.h"

/// What the suites' names of algorithms say.
namespace benanza::analysis {

/// Whether the call multiplies by weights that are unpacked when the model is loaded.
bool unpacks_weights(std::string_view algorithm);

enum class AlgorithmKind { product, direct, winograd, fft };
/// "matrix product", "implicit product or direct", ...
std::string_view to_string(AlgorithmKind kind);
inline constexpr AlgorithmKind algorithm_kinds[] = {AlgorithmKind::product, AlgorithmKind::direct,
                                                    AlgorithmKind::winograd, AlgorithmKind::fft};
AlgorithmKind kind_of(const VariantName& call);

/// True if `word` names the algorithm. If `from_kernel`, the word may stand for two algorithms.
bool is_called(std::string_view algorithm, std::string_view word, bool from_kernel);

}  // namespace benanza::analysis
