#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "core/problem/text.h"

/// Pieces of XLA's text.
namespace benanza::analysis::jax {

/// Parses "4,32,32,8" or, with another separator, "3x3".
std::optional<Dims> numbers(std::string_view text, char separator);

/// Strips the type and the percent sign from an operand: "f32[4] %name" becomes "name".
std::string_view plain(std::string_view name);

/// The "2x2" of "window={size=3x3 stride=2x2 pad=1_1x1_1}"; empty if the field is absent.
std::string_view window_field(std::string_view attributes, std::string_view name);

/// The field's positive numbers; ones if it is absent. Empty if it is not one for every axis.
std::optional<Dims> window_sizes(std::string_view attributes, std::string_view name,
                                 std::size_t axes);

/// Padding before and after each axis.
using Pads = std::pair<Dims, Dims>;
/// That of the window; 0 if absent.
Pads window_pads(std::string_view attributes, std::size_t axes);

}  // namespace benanza::analysis::jax
