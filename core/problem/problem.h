#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "core/problem/epilogue.h"
#include "core/problem/precision.h"
#include "core/problem/shape.h"
#include "core/problem/stored_types.h"

namespace benanza {

/// One unit of work for a library, independent of model and layer names.
struct Problem {
  Shape shape;
  Epilogue epilogue;
  /// How the file stores the constant second operand of a product, of a recurrence also that of the
  /// state, and how a cache stores the keys and values of attention, if not in a float type.
  std::optional<PackedWeights> packed{};
  bool operator==(const Problem&) const = default;
};

/// Work of a problem if every operand is read once and the result is written once.
struct Work {
  double flops = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes() const { return bytes_read + bytes_written; }
};

/// First part of the key: "conv", "gemm", "relu", ...
std::string_view op(const Problem& problem);
/// The canonical text form: "op/fields". parse(key(p)) == p, and key(parse(k)) == k.
std::string key(const Problem& problem);
/// Throws std::invalid_argument naming the key, the expected field and its place; TooLarge if a
/// number is beyond most_elements or all tensors together have more elements.
Problem parse(std::string_view key);

/// True if steps can follow a call of this shape. False for shapes that set `takes_steps` to false,
/// such as those that only move, select or convert elements, draw random numbers, are gradients or
/// have several results.
bool takes_steps(const Shape& shape);
/// `problem` with one more step, in canonical form. Consecutive linear steps are merged.
Problem with_step(Problem problem, const Step& step);

/// Inputs in the order the operator takes them, then the epilogue's operands: bias, residual, step
/// operands.
std::vector<Operand> inputs(const Problem& problem);
/// Whether Problem::packed says how operand `index` is stored.
bool is_stored_packed(const Problem& problem, std::size_t index);
/// "int4 weights in blocks of 32", "fp8 keys and values". Problem::packed must be set.
std::string packed_text(const Problem& problem);
/// Bytes of operand `index` of inputs(): of those as they are stored, of a truth value one, of
/// others `size`.
std::int64_t stored_bytes(const Problem& problem, const Operand& operand, std::size_t index,
                          std::int64_t size);
/// Stored bytes of those operands, with scales of so many bytes.
std::int64_t packed_bytes(const Problem& problem, std::int64_t scale_bytes);
/// Whether the first operand is unsigned 8-bit data: such problems exist at int8 only.
bool has_unsigned_data(const Problem& problem);
/// The same problem of unsigned data, or of signed ones. Unchanged if its operator takes signed
/// data alone.
Problem with_unsigned_data(Problem problem, bool is_unsigned);
/// Index of the bias and of the residual in inputs(); empty if there is none.
std::optional<std::size_t> bias_operand(const Problem& problem);
std::optional<std::size_t> residual_operand(const Problem& problem);
/// Index of the first step operand; the others follow it. inputs().size() if there are none.
std::size_t first_step_operand(const Problem& problem);
Dims output(const Problem& problem);
/// The tensors stored one after the other in the result, in the order of a node's outputs: only
/// output() unless the operator has several results.
std::vector<Dims> results(const Problem& problem);
/// Elements of the result that the call writes; less than element_count(output) only for a Copy.
std::int64_t written_elements(const Problem& problem);
Work work(const Problem& problem, Precision precision);
/// The part of the flops spent in sums of products, two for each multiply-add. In parts that
/// multiply and add for other reasons (normalizations, functions) it is 0.
double product_flops(const Problem& problem);
/// True for convolutions, matrix products, attention, recurrences, and their gradients.
bool is_product(const Problem& problem);
/// Products summed into one output element (1 if nothing is summed); determines tolerances and
/// scales.
std::int64_t reduction_length(const Problem& problem);

/// The key of `shape` with `epilogue`; empty if it is no valid problem.
template <class T>
std::string key_of(const T& shape, const Epilogue& epilogue = {}) {
  try {
    return key(parse(key(Problem{.shape = shape, .epilogue = epilogue})));
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace benanza
