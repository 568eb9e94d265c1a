#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// `text` as a field of a CSV file: quoted where it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);

}  // namespace benanza
