#include "core/problem/precision.h"

#include <array>
#include <utility>

namespace benanza {
namespace {

constexpr std::array<std::pair<Precision, std::string_view>, 6> precisions{{
    {Precision::fp32, "fp32"},
    {Precision::tf32, "tf32"},
    {Precision::fp16, "fp16"},
    {Precision::bf16, "bf16"},
    {Precision::int8, "int8"},
    {Precision::fp8, "fp8"},
}};

constexpr std::array<std::pair<Layout, std::string_view>, 4> layouts{{
    {Layout::nchw, "nchw"},
    {Layout::nhwc, "nhwc"},
    {Layout::any, "any"},
    {Layout::plain, "plain"},
}};

template <class Table, class Value>
std::string_view text_of(const Table& table, Value value) {
  for (const auto& [candidate, text] : table) {
    if (candidate == value) return text;
  }
  return "?";
}

template <class Value, std::size_t size>
std::optional<Value> value_of(const std::array<std::pair<Value, std::string_view>, size>& table,
                              std::string_view text) {
  for (const auto& [value, candidate] : table) {
    if (candidate == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Precision precision) { return text_of(precisions, precision); }

std::optional<Precision> parse_precision(std::string_view text) {
  return value_of(precisions, text);
}

std::int64_t element_bytes(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp16:
    case Precision::bf16:
      return 2;
    case Precision::int8:
    case Precision::fp8:
      return 1;
  }
  return 4;
}

std::string_view to_string(Layout layout) { return text_of(layouts, layout); }

std::optional<Layout> parse_layout(std::string_view text) { return value_of(layouts, text); }

}  // namespace benanza
