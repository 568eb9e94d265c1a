#include "generator/fusion/padding.h"

#include <utility>

namespace benanza::fusion {
namespace {

std::int64_t padded_extent(std::int64_t extent) {
  constexpr std::int64_t small = 16;
  constexpr std::int64_t large = 512;
  std::int64_t multiple = 16;
  if (extent <= small) multiple = 8;
  if (extent > large && extent % 8 != 0) multiple = 64;
  return (extent + multiple - 1) / multiple * multiple;
}

/// Moves `rows` of `extent` elements between rows of these lengths.
Problem copy_of(std::int64_t rows, std::int64_t extent, std::int64_t from, std::int64_t to) {
  return {.shape = Copy{.dims = {rows, extent}, .from = {from, 1}, .to = {to, 1}}.canonical(),
          .epilogue = {}};
}

void add_copies(Padded& padded, std::int64_t rows_read, std::int64_t read, std::int64_t read_padded,
                std::int64_t rows_written, std::int64_t written, std::int64_t written_padded) {
  if (read_padded != read) {
    padded.copies.push_back(copy_of(rows_read, read, read, read_padded));
  }
  if (written_padded != written) {
    padded.copies.push_back(copy_of(rows_written, written, written_padded, written));
  }
}

bool pad(const Gemm& gemm, Padded& padded) {
  if (!gemm.constant_b || gemm.transpose_a || !gemm.batch_b.empty()) return false;
  Gemm& larger = std::get<Gemm>(padded.problem.shape);
  larger.n = padded_extent(gemm.n);
  larger.k = padded_extent(gemm.k);
  const std::int64_t rows = gemm.m * element_count(gemm.batch_a);
  add_copies(padded, rows, gemm.k, larger.k, rows, gemm.n, larger.n);
  return larger != gemm;
}

/// Of an image: its batch and its pixels.
std::int64_t pixels(const Dims& image) { return element_count(image) / image.at(1); }

bool pad(const Convolution& shape, Padded& padded) {
  if (shape.groups != 1) return false;
  Convolution& larger = std::get<Convolution>(padded.problem.shape);
  larger.input.at(1) = padded_extent(shape.input.at(1));
  larger.filters = padded_extent(shape.filters);
  add_copies(padded, pixels(shape.input), shape.input.at(1), larger.input.at(1),
             pixels(shape.output()), shape.filters, larger.filters);
  return larger != shape;
}

template <class Shape>
bool pad(const Shape&, Padded&) {
  return false;
}

}  // namespace

std::optional<Padded> padded(const Problem& problem) {
  const Epilogue& epilogue = problem.epilogue;
  if (problem.packed || epilogue.residual || !epilogue.step_operands().empty()) return std::nullopt;
  Padded found{.problem = problem, .copies = {}};
  const bool is_padded =
      std::visit([&](const auto& shape) { return pad(shape, found); }, problem.shape);
  return is_padded ? std::optional(std::move(found)) : std::nullopt;
}

std::vector<Fusion> paddings(const std::vector<LoweredLayer>& layers,
                             const std::vector<Fusion>& fusions) {
  std::vector<Fusion> found;
  const auto add = [&](std::string pattern, const std::vector<std::size_t>& members,
                       const std::string& key_of_whole) {
    const auto larger = padded(parse(key_of_whole));
    if (!larger) return;
    Fusion fusion{
        .pattern = std::move(pattern), .layers = members, .problem = key(larger->problem)};
    for (const Problem& copy : larger->copies) fusion.also.push_back(key(copy));
    found.push_back(std::move(fusion));
  };
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const Layer& layer = layers[index];
    if (layer.cost == Cost::measured && layer.problems.size() == 1) {
      add("padded", {index}, layer.problems.front());
    }
  }
  for (const Fusion& fusion : fusions) {
    if (!fusion.also.empty()) continue;
    add("padded_" + fusion.pattern, fusion.layers, fusion.problem);
  }
  return found;
}

}  // namespace benanza::fusion
