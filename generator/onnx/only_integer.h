#pragma once

#include <cstdint>
#include <optional>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// The integer that every element of `value` is, such as the zero point of all channels: of any
/// size, and also of 4 and 2 bits. Empty if they differ, or the model does not contain them.
std::optional<std::int64_t> only_integer(const Value& value);

}  // namespace benanza::onnx
