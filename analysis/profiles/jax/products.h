#pragma once

#include <optional>

#include "analysis/profiles/jax/hlo.h"

namespace benanza::analysis::jax {

/// The convolution or matrix product that an instruction itself does, be it by cuDNN or cuBLAS.
/// Empty if it does none. Zero padding by an instruction before a convolution becomes part of the
/// convolution's pads. `is_inside`: of a computation that another instruction calls, which also
/// makes the operands that are no parameters.
std::optional<ToldPart> product_part(const Program& program, const Instruction& instruction,
                                     bool is_inside);

}  // namespace benanza::analysis::jax
