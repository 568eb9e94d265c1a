#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace benanza::analysis {

/// `text` as a field of a CSV file: quoted where it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);

/// A number as a field of a CSV file: empty where it is not known.
template <class T>
std::string csv_number(const std::optional<T>& value, std::string_view format = "{}") {
  return value ? fmt::format(fmt::runtime(format), *value) : "";
}

}  // namespace benanza::analysis
