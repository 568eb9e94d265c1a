#include "models/language/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"

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

using nlohmann::json;

Config::Config(std::string path, std::shared_ptr<const json> value)
    : path_(std::move(path)), value_(std::move(value)) {}

Config Config::read(const std::string& path) {
  json value;
  try {
    value = json::parse(read_file(path));
  } catch (const json::exception& error) {
    throw Error(path + ": not JSON: " + error.what());
  }
  if (!value.is_object()) throw Error(path + ": not a JSON object");
  if (const auto text = value.find("text_config"); text != value.end() && text->is_object()) {
    json inner = *text;
    // How the weights are stored may be said of the whole.
    constexpr const char* stored = "quantization_config";
    if (const auto all = value.find(stored); all != value.end()) inner.emplace(stored, *all);
    value = std::move(inner);
  }
  return {path, std::make_shared<const json>(std::move(value))};
}

const json* Config::find(std::string_view key) const {
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

void Config::refuse(std::string_view key, const std::string& what) const {
  throw Error(path_ + ": " + std::string(key) + ": " + what);
}

bool Config::has(std::string_view key) const { return find(key) != nullptr; }

std::int64_t Config::count(std::string_view key, std::int64_t otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (!value->is_number_integer() || value->get<std::int64_t>() < 0 ||
      value->get<std::int64_t>() > most) {
    refuse(key, "give a whole number, not " + value->dump());
  }
  return value->get<std::int64_t>();
}

std::int64_t Config::size(std::string_view key, std::int64_t otherwise) const {
  const std::int64_t value = count(key, otherwise);
  if (value < 1) refuse(key, "give a number above 0");
  return value;
}

std::int64_t Config::size(std::string_view key) const {
  if (!has(key)) refuse(key, "is missing");
  return size(key, 0);
}

double Config::real(std::string_view key, double otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) refuse(key, "give a number, not " + value->dump());
  return value->get<double>();
}

bool Config::flag(std::string_view key, bool otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(key, "give true or false, not " + value->dump());
  return value->get<bool>();
}

std::string Config::text(std::string_view key, const std::string& otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) refuse(key, "give a text, not " + value->dump());
  return value->get<std::string>();
}

std::string Config::text(std::string_view key) const {
  if (!has(key)) refuse(key, "is missing");
  return text(key, "");
}

std::vector<std::string> Config::texts(std::string_view key) const {
  const json* list = find(key);
  if (list == nullptr) return {};
  try {
    return list->get<std::vector<std::string>>();
  } catch (const json::exception&) {
    refuse(key, "give a list of texts");
  }
}

std::vector<std::int64_t> Config::integers(std::string_view key) const {
  const json* list = find(key);
  if (list == nullptr) return {};
  try {
    return list->get<std::vector<std::int64_t>>();
  } catch (const json::exception&) {
    refuse(key, "give a list of whole numbers");
  }
}

Config Config::inside(std::string_view key) const {
  const json* value = find(key);
  if (value != nullptr && !value->is_object()) refuse(key, "give an object");
  return {path_, std::make_shared<const json>(value == nullptr ? json::object() : *value)};
}

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
