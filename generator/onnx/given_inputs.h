#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// The model's inputs that who reads all of `value` reads: itself, or what layers make it of that
/// move elements or write over some. By each how many of its elements need not be read.
std::map<const Value*, std::int64_t> given_behind(const Program& program,
                                                  const std::vector<LoweredLayer>& layers,
                                                  const Value& value);

}  // namespace benanza::onnx
