#pragma once

#include <string>
#include <string_view>

#include "analysis/profiles/jax/hlo.h"
#include "core/problem/epilogue.h"

namespace benanza::analysis::jax {

/// The name of the library's function that an instruction calls; empty if it calls none.
std::string_view target_of(const Instruction& call);

/// What a call of a library does to its product before it stores it.
struct LibraryEpilogue {
  Epilogue epilogue{};
  /// Why no problem has all that the call does: "the epilogue SILU". Empty if one has.
  std::string refusal{};
};

/// Of a call of cuDNN, cuBLAS or cuBLASLt that XLA makes, from the settings in its text. A factor
/// of a product (alpha), or of the tensor that a convolution adds, takes no time; other factors are
/// refused.
LibraryEpilogue library_epilogue(const Instruction& call);

}  // namespace benanza::analysis::jax
