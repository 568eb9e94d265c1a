#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/language/pass.h"

namespace benanza::language {

/// A model's config.json, as Hugging Face's transformers writes it. Every function throws Error
/// with the file and the key if the value is absent (unless a default is given, which null stands
/// for, too) or of another type.
class Config {
 public:
  /// If there is an object "text_config" it is read instead: of a model with more than text.
  static Config read(const std::string& path);

  bool has(std::string_view key) const;
  /// Positive.
  std::int64_t size(std::string_view key) const;
  std::int64_t size(std::string_view key, std::int64_t otherwise) const;
  /// Not negative.
  std::int64_t count(std::string_view key, std::int64_t otherwise) const;
  double real(std::string_view key, double otherwise) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key) const;
  std::string text(std::string_view key, const std::string& otherwise) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<std::int64_t> integers(std::string_view key) const;
  /// An object inside; an empty one if it is absent.
  Config inside(std::string_view key) const;

  /// Throws Error: "PATH: KEY: what".
  [[noreturn]] void refuse(std::string_view key, const std::string& what) const;

 private:
  Config(std::string path, std::shared_ptr<const nlohmann::json> value);
  const nlohmann::json* find(std::string_view key) const;

  std::string path_;
  std::shared_ptr<const nlohmann::json> value_;
};

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
