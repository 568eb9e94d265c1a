#include "core/problem/stored_types.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"

namespace benanza {
namespace {

constexpr std::string_view field = "packed.";

std::int64_t bytes_of_bits(std::int64_t count, int bits) {
  return saturated_product(count, bits) / 8 + (saturated_product(count, bits) % 8 != 0 ? 1 : 0);
}

/// Takes the text up to the next dot, and the dot.
std::string_view take_part(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const std::string_view part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  return part;
}

std::optional<PackedType> parse_type(std::string_view text) {
  const auto found =
      std::ranges::find(all_packed_types, text, [](PackedType type) { return to_string(type); });
  return found == std::end(all_packed_types) ? std::nullopt : std::optional(*found);
}

std::optional<std::int64_t> parse_block(std::string_view part) {
  if (!part.starts_with('b')) return std::nullopt;
  const auto block = text::number<std::int64_t>(part.substr(1));
  return block && *block >= 1 && *block <= most_elements ? block : std::nullopt;
}

}  // namespace

std::string_view to_string(PackedType type) {
  switch (type) {
    case PackedType::int8:
      return "int8";
    case PackedType::uint8:
      return "uint8";
    case PackedType::int4:
      return "int4";
    case PackedType::uint4:
      return "uint4";
    case PackedType::int2:
      return "int2";
    case PackedType::uint2:
      return "uint2";
    case PackedType::fp8:
      return "fp8";
    case PackedType::fp4:
      return "fp4";
    case PackedType::nf4:
      return "nf4";
  }
  return "int8";
}

int bits_of(PackedType type) {
  switch (type) {
    case PackedType::int4:
    case PackedType::uint4:
    case PackedType::fp4:
    case PackedType::nf4:
      return 4;
    case PackedType::int2:
    case PackedType::uint2:
      return 2;
    default:
      return 8;
  }
}

void PackedWeights::write(KeyWriter& writer) const {
  std::string text = std::string(field) + std::string(to_string(type));
  if (block > 0) text += ".b" + std::to_string(block);
  if (per_column) text += ".c";
  if (zero_points) text += ".z";
  if (rounds_data) text += ".a8";
  writer.word(text);
}

bool PackedWeights::is_next(const KeyReader& reader) { return reader.next_is(field); }

PackedWeights PackedWeights::read(KeyReader& reader) {
  std::string_view rest = reader.word();
  rest.remove_prefix(field.size());
  PackedWeights weights;
  const auto type = parse_type(take_part(rest));
  if (!type) reader.fail("a type of packed weights");
  weights.type = *type;
  while (!rest.empty()) {
    const std::string_view part = take_part(rest);
    if (const auto block = parse_block(part)) {
      weights.block = *block;
    } else if (part == "c") {
      weights.per_column = true;
    } else if (part == "z") {
      weights.zero_points = true;
    } else if (part == "a8") {
      weights.rounds_data = true;
    } else {
      reader.fail("b<block>, c, z or a8 of packed weights");
    }
  }
  if (weights.block > 0 && weights.per_column) reader.fail("blocks or columns");
  return weights;
}

std::int64_t PackedWeights::bytes(std::int64_t columns, std::int64_t length,
                                  std::int64_t scale_bytes) const {
  const int bits = bits_of(type);
  std::int64_t scales = 1;
  if (per_column) scales = columns;
  if (block > 0) scales = saturated_product(columns, (length + block - 1) / block);
  const std::int64_t weights = bytes_of_bits(saturated_product(columns, length), bits);
  return saturated_sum(saturated_sum(weights, saturated_product(scales, scale_bytes)),
                       zero_points ? bytes_of_bits(scales, bits) : 0);
}

std::string PackedWeights::text() const {
  std::string text = std::string(to_string(type)) + " weights";
  if (block > 0) text += " in blocks of " + std::to_string(block);
  if (per_column) text += " with a scale per column";
  if (zero_points) text += ", with zero points";
  return text;
}

}  // namespace benanza
