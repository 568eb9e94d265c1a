#pragma once

#include <optional>
#include <string>

#include "models/language/config.h"
#include "models/language/pass.h"

namespace benanza::language {

/// What a configuration says of how the model's files store the weights of products.
struct StoredWeights {
  /// "awq, 4 bits, groups of 128".
  std::string what{};
  /// Empty if such weights cannot be written here. Of blocks, the scales are 16 bits; zero points
  /// are left out (4 of the 528 bits of a group of 128).
  std::optional<WeightType> type{};
  /// The head's, too; quantizers leave it out unless they are told to.
  bool head = false;
  /// Keys and values are stored as fp8.
  bool fp8_cache = false;
};

/// By "quantization_config", as transformers, llm-compressor and TensorRT's Model Optimizer write
/// it; empty without one.
std::optional<StoredWeights> stored_weights(const Config& config);

}  // namespace benanza::language
