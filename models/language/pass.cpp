#include "models/language/pass.h"

#include <bit>

#include "core/base/text.h"

namespace benanza::language {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::prefill:
      return "prefill";
    case Phase::decode:
      return "decode";
    case Phase::extend:
      return "extend";
  }
  return "";
}

std::optional<Phase> parse_phase(std::string_view text) {
  for (const Phase phase : {Phase::prefill, Phase::decode, Phase::extend}) {
    if (text == to_string(phase)) return phase;
  }
  return std::nullopt;
}

std::string to_string(const WeightType& type) {
  using Kind = WeightType::Kind;
  switch (type.kind) {
    case Kind::plain:
      return "bf16";
    case Kind::fp8:
      return "fp8";
    case Kind::fp8_block:
      return "fp8_block";
    case Kind::int8:
      return "int8";
    case Kind::int8_blocks:
      return "int8:" + std::to_string(type.block);
    case Kind::int4_blocks:
      return "int4:" + std::to_string(type.block);
  }
  return "";
}

std::optional<WeightType> parse_weight_type(std::string_view text) {
  using Kind = WeightType::Kind;
  for (const Kind kind : {Kind::plain, Kind::fp8, Kind::fp8_block, Kind::int8}) {
    if (text == to_string(WeightType{.kind = kind})) return WeightType{.kind = kind};
  }
  for (const Kind kind : {Kind::int8_blocks, Kind::int4_blocks}) {
    const std::string_view prefix = kind == Kind::int8_blocks ? "int8:" : "int4:";
    if (!text.starts_with(prefix)) continue;
    const auto block = text::number<std::uint64_t>(text.substr(prefix.size()));
    if (!block || *block < 16 || *block > 1024 || !std::has_single_bit(*block)) return std::nullopt;
    return WeightType{.kind = kind, .block = static_cast<std::int64_t>(*block)};
  }
  return std::nullopt;
}

}  // namespace benanza::language
