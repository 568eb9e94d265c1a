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
/// Throws std::invalid_argument naming the text and the part that is wrong.
VariantName parse_variant_name(std::string_view text);

}  // namespace benanza
