#pragma once

#include "analysis/profiles/jax/hlo.h"
#include "core/problem/epilogue.h"

namespace benanza::analysis::jax {

/// What a call of cuDNN or cuBLASLt that XLA makes does to its result, from the settings in the
/// call's text: `__cudnn$convBiasActivationForward` and `__cublas$lt$matmul`. Settings that no
/// problem has are left out, so that the problem is the least that the call does.
Epilogue library_epilogue(const Instruction& call);

}  // namespace benanza::analysis::jax
