#pragma once

#include <string>
#include <string_view>

#include "core/problem/precision.h"

namespace benanza {

/// The identity of a variant, as Google Benchmark shows it:
/// op/key/precision/layout/backend/algorithm[/cold]; `key` holds op and fields, "conv/1x64x...".
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
/// How the names of algorithms begin that add a residual in its own memory, which then holds the
/// result: "sum.jit:avx2".
inline constexpr std::string_view in_place_prefix = "sum.";
inline bool adds_in_place(std::string_view algorithm) {
  return algorithm.starts_with(in_place_prefix);
}
/// Throws std::invalid_argument naming the text and the part that is wrong.
VariantName parse_variant_name(std::string_view text);

}  // namespace benanza
