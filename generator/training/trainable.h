#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/lowered/lowered.h"

/// Which tensors of a model are trained.
namespace benanza::training {

bool is_float(const std::string& type);

/// The extents of a tensor that a layer reads, if known.
std::optional<Dims> extents(const std::vector<LoweredLayer>& layers, const Read& read);

/// Returns the tensor that a constant is a transposed, reshaped or converted form of: a table that
/// one layer gathers rows from and another multiplies by is one parameter.
std::size_t original(const std::vector<LoweredLayer>& layers, const Read& read);

/// True if operand `operand` of a layer's call is a parameter: a constant that training changes.
bool is_trainable(const std::vector<LoweredLayer>& layers, const LoweredLayer& layer,
                  const Call& call, std::size_t operand);

}  // namespace benanza::training
