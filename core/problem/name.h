#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/problem/precision.h"

namespace benanza {

/// The identity of a variant, in the form Google Benchmark shows:
/// op/key/precision/layout/backend/algorithm[/cold]. `key` includes the op: "conv/1x64x...".
struct VariantName {
  std::string key;
  Precision precision = Precision::fp32;
  Layout layout = Layout::plain;
  std::string backend;
  std::string algorithm;
  bool cold = false;

  bool operator==(const VariantName&) const = default;
};

std::string to_string(const VariantName& name);
/// Prefix of the names of algorithms that add a residual in place, in the memory that then holds
/// the result: "sum.jit:avx2".
inline constexpr std::string_view in_place_prefix = "sum.";
inline bool adds_in_place(std::string_view algorithm) {
  return algorithm.starts_with(in_place_prefix);
}
/// True if the name of an algorithm or of a kernel says that it multiplies transforms (Winograd,
/// FFT), of which there are fewer products than of the operands.
bool multiplies_transforms(std::string_view name);
/// Between the engines of an algorithm that is several calls, one after the other: the end of the
/// first and the beginning of the next in "rows.engine1.k24=37_engine1.k24=35".
inline constexpr std::string_view next_engine = "_engine";
/// How many library calls the algorithm is.
std::size_t library_calls(std::string_view algorithm);
/// Throws std::invalid_argument naming the text and the invalid part.
VariantName parse_variant_name(std::string_view text);

}  // namespace benanza
