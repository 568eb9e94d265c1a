#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/lowered/lowered.h"

/// What of a model is trained.
namespace benanza::training {

bool is_float(const std::string& type);

/// Extents of a tensor that a layer reads, where they are known.
std::optional<Dims> extents(const std::vector<LoweredLayer>& layers, const Read& read);

/// The tensor that a constant is made of by moving its elements alone: a table that one layer takes
/// rows from and another multiplies by is one parameter.
std::size_t original(const std::vector<LoweredLayer>& layers, const Read& read);

/// Is operand `operand` of a layer's call a parameter: a constant that training changes?
bool is_trainable(const std::vector<LoweredLayer>& layers, const LoweredLayer& layer,
                  const Call& call, std::size_t operand);

}  // namespace benanza::training
