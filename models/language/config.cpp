#include "models/language/config.h"

#include <nlohmann/json.hpp>

#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::language {

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

}  // namespace benanza::language
