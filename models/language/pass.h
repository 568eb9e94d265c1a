#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benanza::language {

/// What a forward pass does: all tokens of a prompt, one token of each sequence, or several tokens
/// behind earlier ones (a part of a prompt, or tokens to verify).
enum class Phase { prefill, decode, extend };
std::string_view to_string(Phase phase);
std::optional<Phase> parse_phase(std::string_view text);

/// How a model's products store their weights.
struct WeightType {
  enum class Kind {
    /// Floats in the precision of the run.
    plain,
    /// e4m3 with one scale; the other operand is converted, too.
    fp8,
    /// e4m3 with a scale for each row of 128 weights, of experts for 128 x 128; the other operand
    /// is
    /// converted, too.
    fp8_block,
    /// A scale for each column; the other operand is converted to int8, too.
    int8,
    /// Blocks of int8 or int4 with a scale each, multiplied with floats.
    int8_blocks,
    int4_blocks,
  };
  Kind kind = Kind::plain;
  std::int64_t block = 0;

  bool is_fp8() const { return kind == Kind::fp8 || kind == Kind::fp8_block; }
  bool operator==(const WeightType&) const = default;
};
/// bf16, fp8, fp8_block, int8, int8:32, int4:32 (blocks of a power of two from 16).
std::string to_string(const WeightType& type);
std::optional<WeightType> parse_weight_type(std::string_view text);

enum class CacheType { plain, fp8 };

/// A forward pass on one of `tensor_parallel` GPUs.
struct Pass {
  Phase phase = Phase::decode;
  /// Sequences.
  std::int64_t batch = 1;
  /// Tokens of each sequence whose keys and values are in the cache before the pass.
  std::int64_t past = 0;
  /// Tokens of each sequence that the pass takes in.
  std::int64_t tokens = 1;
  std::int64_t tensor_parallel = 1;
  WeightType weights{};
  /// Also with weights in blocks.
  bool float_head = false;
  CacheType cache = CacheType::plain;

  std::int64_t keys() const { return past + tokens; }
  std::int64_t rows() const { return batch * tokens; }
};

}  // namespace benanza::language
