#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace benanza::analysis {

/// null for what is not known.
template <class T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace benanza::analysis
