#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem/text.h"

/// Pieces of XLA's text.
namespace benanza::analysis::jax {

/// Parses "4,32,32,8" or, with another separator, "3x3".
std::optional<Dims> numbers(std::string_view text, char separator);

/// The names in ", window={size=3x3}, dim_labels=b01f_01io->b01f": "window", "dim_labels". What
/// stands in brackets or quotes is a value.
std::vector<std::string_view> attribute_names(std::string_view attributes);

/// Strips the type, the percent sign and XLA's comment from an operand: "f32[4] /*index=5*/%name"
/// becomes "name".
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
