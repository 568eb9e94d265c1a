#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "analysis/profiles/jax/hlo.h"

/// The types and attributes of XLA's products (dot, convolution, a library's call): which of them a
/// problem stands for.
namespace benanza::analysis::jax {

/// True for f32, f16 and bf16, which problems are of.
bool is_short_float(std::string_view type);
/// Of these; nullopt for others.
std::optional<Precision> precision_of_type(std::string_view type);

/// Why no problem describes a product of `a` and `b`: "products of f64". Empty if one may: takes
/// the types of operands and result into account, the precision of the operands, the algorithm, and
/// that there is no attribute beside those that the readers of products know.
std::string arithmetic_refusal(const Instruction& call, const Instruction& a, const Instruction& b);

/// Why no problem describes a product in a computation that itself makes the operand: of integers
/// or floats of a byte or less, which are all that is read. Empty if it does not.
std::string unpacking_refusal(const Program& program, const Instruction& operand);

/// The precisions at which a product of operands of this type may run. Empty if there are none.
std::set<std::string> possible_precisions(const Instruction& call, std::string_view type);

}  // namespace benanza::analysis::jax
