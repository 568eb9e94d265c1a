#include "models/language/stored_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace benanza::language {
namespace {

using Kind = WeightType::Kind;

/// Of -1 (or no) elements: one scale a column.
StoredWeights integers(const std::string& method, std::int64_t bits, std::int64_t group) {
  StoredWeights found{.what = fmt::format("{}, {} bits", method, bits)};
  if (group > 0) found.what += fmt::format(", groups of {}", group);
  if (bits == 8 && group <= 0) found.type = WeightType{.kind = Kind::int8};
  if (group > 0 && (bits == 8 || bits == 4)) {
    found.type = parse_weight_type(fmt::format("int{}:{}", bits, group));
  }
  return found;
}

/// `block`: rows and columns that share a scale; empty: one for all, or for a column.
StoredWeights bytes_of_floats(const std::string& method, const std::vector<std::int64_t>& block) {
  StoredWeights found{.what = method};
  if (block.empty()) {
    found.type = WeightType{.kind = Kind::fp8};
  } else {
    found.what += fmt::format(", blocks of {}", fmt::join(block, "x"));
    if (block == std::vector<std::int64_t>{128, 128}) {
      found.type = WeightType{.kind = Kind::fp8_block};
    }
  }
  return found;
}

std::int64_t group_of(const Config& config) {
  return static_cast<std::int64_t>(config.real("group_size", -1));
}

/// llm-compressor: the first of its groups of layers.
StoredWeights compressed_tensors(const std::string& method, const Config& config) {
  const Config weights = config.inside("config_groups").inside("group_0").inside("weights");
  const std::int64_t bits = weights.count("num_bits", 0);
  if (weights.text("type", "") == "float" && bits == 8) {
    return bytes_of_floats(method + ", fp8", weights.integers("block_structure"));
  }
  if (weights.text("type", "") == "int") return integers(method, bits, group_of(weights));
  return {.what = method};
}

bool is_one_of(std::string_view method, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, method) != names.end();
}

StoredWeights weights_of(const Config& stated) {
  const std::string method = stated.text("quant_method", "");
  if (method == "fp8") return bytes_of_floats(method, stated.integers("weight_block_size"));
  if (method == "fbgemm_fp8") return bytes_of_floats(method, {});
  if (method == "compressed-tensors") return compressed_tensors(method, stated);
  if (method == "modelopt" && stated.text("quant_algo", "") == "FP8") {
    return bytes_of_floats("modelopt, fp8", {});
  }
  if (is_one_of(method, {"awq", "gptq", "auto-round", "intel/auto-round"})) {
    return integers(method, stated.count("bits", 4), group_of(stated));
  }
  if (method == "bitsandbytes" && stated.flag("load_in_8bit", false)) {
    return integers(method, 8, -1);
  }
  return {.what = method.empty() ? "a method without a name" : method};
}

}  // namespace

std::optional<StoredWeights> stored_weights(const Config& config) {
  if (!config.has("quantization_config")) return std::nullopt;
  const Config stated = config.inside("quantization_config");
  StoredWeights found = weights_of(stated);
  found.head = stated.flag("lm_head", false);
  const Config cache = stated.inside("kv_cache_scheme");
  found.fp8_cache = cache.text("type", "") == "float" && cache.count("num_bits", 0) == 8;
  return found;
}

}  // namespace benanza::language
