#pragma once

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// Makes steps that compute what an earlier one has computed an Identity of its result, and names
/// that one (Step::same_as): same operator, attributes and inputs, and nothing random. Constants of
/// few elements are the same if their values are. For programs whose types are inferred.
void share_equal_steps(Program& program, const OperatorTable& operators);

}  // namespace benanza::onnx
