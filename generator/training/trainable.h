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

/// The tensor that training changes for a constant operand, and the way there.
struct Origin {
  /// The constant is a transposed, reshaped or converted form of this tensor: a table that one
  /// layer gathers rows from and another multiplies by is one parameter. A vector under another
  /// name (Identity) is another parameter.
  Read read;
  /// Outputs of constant layers that repeat or select its elements, from the operand on.
  std::vector<Read> forms = {};
};
/// `selects`: also through layers that repeat or select elements.
Origin origin(const std::vector<LoweredLayer>& layers, const Read& read, bool selects);

/// True for operands that may be made of a part of a parameter, or of several repetitions of one:
/// matrices that are added (positions of tokens, biases of attention) and parts of a Concat (class
/// tokens).
bool is_embedded(const Call& call, std::size_t operand);

/// True if operand `operand` of a layer's call is a parameter: a constant that training changes.
bool is_trainable(const std::vector<LoweredLayer>& layers, const LoweredLayer& layer,
                  const Call& call, std::size_t operand);

}  // namespace benanza::training
