#include "analysis/profile_match/evidence.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <system_error>

#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

std::string of(const Gemm& gemm) {
  std::int64_t rows = gemm.m;
  std::int64_t products = element_count(gemm.batch());
  if (element_count(gemm.batch_b) == 1) {  // shared matrix: one product with more rows
    rows *= products;
    products = 1;
  }
  return "gemm " + join({products, rows, gemm.n, gemm.k}, 'x');
}

/// The number after "gemm" and each 'x'; empty for other signatures.
Dims extents_of_product(std::string_view signature) {
  constexpr std::string_view name = "gemm ";
  Dims extents;
  if (!signature.starts_with(name)) return extents;
  const char* const end = signature.data() + signature.size();
  for (const char* at = signature.data() + name.size(); at < end;) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) return {};
    extents.push_back(extent);
    at = next == end ? end : next + 1;
  }
  return extents;
}

std::string text_without_leading_ones(const Dims& dims) {
  const auto first = std::ranges::find_if(dims, [](auto extent) { return extent != 1; });
  return join(Dims(first, dims.end()), 'x');
}

std::string of(const Binary& binary) {
  std::string a = text_without_leading_ones(binary.a);
  std::string b = text_without_leading_ones(binary.b);
  const bool ordered = binary.kind == BinaryKind::sub || binary.kind == BinaryKind::div ||
                       binary.kind == BinaryKind::prelu;
  if (!ordered && b < a) std::swap(a, b);
  return std::string(binary.op()) + ' ' + a + ' ' + b;
}

std::string mean_over_pixels(const Dims& input) { return "mean " + join(input, 'x'); }

std::string of(const Pooling& pooling) {
  const bool all = pooling.mode != PoolingMode::max && !pooling.window.has_padding() &&
                   pooling.window.kernel == spatial(pooling.input);
  return all ? mean_over_pixels(pooling.input) : "";
}

std::string of(const Reduction& reduction) {
  Dims pixels;
  for (std::size_t axis = 2; axis < reduction.input.size(); ++axis) {
    pixels.push_back(static_cast<std::int64_t>(axis));
  }
  const bool all =
      reduction.kind == ReductionKind::mean && !pixels.empty() && reduction.axes == pixels;
  return all ? mean_over_pixels(reduction.input) : "";
}

/// A profile does not tell who made the keys.
std::string of(Attention attention) {
  attention.new_keys = false;
  return key({.shape = attention, .epilogue = {}});
}

std::string of(AttentionGradient gradient) {
  gradient.forward.new_keys = false;
  return key({.shape = gradient, .epilogue = {}});
}

template <class T>
std::string of(const T&) {
  return "";
}

enum class Fit { same, rearranged, other };

Dims without_ones(const Dims& dims) {
  Dims rest;
  std::ranges::copy_if(dims, std::back_inserter(rest), [](auto extent) { return extent != 1; });
  return rest;
}

bool is_rounded_up(std::int64_t stated, std::int64_t asked) {
  return std::ranges::any_of(std::initializer_list<std::int64_t>{1, 4, 8, 16, 32},
                             [&](auto step) { return stated == (asked + step - 1) / step * step; });
}

/// In a blocked layout, the channels fill whole blocks.
bool has_filled_channels(const Dims& stated, const Dims& asked) {
  if (stated.size() != asked.size() || stated.size() < 3) return false;
  for (std::size_t axis = 0; axis < asked.size(); ++axis) {
    if (axis == 1 ? !is_rounded_up(stated[1], asked[1]) : stated[axis] != asked[axis]) return false;
  }
  return true;
}

Fit fit(const Dims& stated, const Dims& asked) {
  if (without_ones(stated) == without_ones(asked)) return Fit::same;
  if (has_filled_channels(stated, asked)) return Fit::same;
  if (element_count(stated) != element_count(asked)) return Fit::other;
  const bool rows_merged = !stated.empty() && !asked.empty() && stated.back() == asked.back();
  return rows_merged ? Fit::same : Fit::rearranged;
}

std::optional<Problem> problem_of(const Layer& layer) {
  if (layer.problems.empty()) return std::nullopt;
  try {
    return parse(layer.problems.front());
  } catch (const std::exception&) {
    return std::nullopt;  // of another version
  }
}

/// Filters x (channels of a group) x kernel.
Evidence of_weights(const Dims& stated, const Dims& asked) {
  if (stated.size() != asked.size()) return Evidence::none;
  for (std::size_t axis = 0; axis < asked.size(); ++axis) {
    if (axis < 2 ? !is_rounded_up(stated[axis], asked[axis]) : stated[axis] != asked[axis]) {
      return Evidence::differs;
    }
  }
  return Evidence::agrees;
}

/// A product of matrices: the library may know B, a weight, in its own form only.
Evidence of_factor(const Gemm& gemm, const Dims& stated) {
  if (stated.size() < 2) return Evidence::none;
  const std::int64_t count = element_count(stated);
  const std::int64_t rows = stated[stated.size() - 2];
  const std::int64_t columns = stated.back();
  const bool is_a = count == element_count(gemm.batch_a) * gemm.m * gemm.k &&
                    (rows == gemm.k || columns == gemm.k);
  const bool is_b = count == element_count(gemm.batch_b) * gemm.k * gemm.n &&
                    std::minmax(rows, columns) == std::minmax(gemm.k, gemm.n);
  return is_a || is_b ? Evidence::agrees : Evidence::differs;
}

Evidence of_operands(const Problem& problem, const std::vector<Dims>& stated) {
  if (const auto* gemm = std::get_if<Gemm>(&problem.shape)) {
    return stated.empty() ? Evidence::none : of_factor(*gemm, stated[0]);
  }
  const std::vector<Operand> operands = inputs(problem);
  const bool has_weights = std::holds_alternative<Convolution>(problem.shape) ||
                           std::holds_alternative<Deconvolution>(problem.shape);
  if (has_weights) {
    return stated.size() < 2 || operands.size() < 2 ? Evidence::none
                                                    : of_weights(stated[1], operands[1].dims);
  }
  const bool moves = work(problem, Precision::fp32).flops == 0;
  if (moves || stated.empty() || operands.empty()) return Evidence::agrees;
  return fit(stated[0], operands[0].dims) == Fit::other ? Evidence::none : Evidence::agrees;
}

/// The layer whose result the others do not read; empty if there are several.
std::optional<std::size_t> last_of(const Graph& graph, const std::vector<std::size_t>& layers) {
  std::optional<std::size_t> last;
  for (const std::size_t layer : layers) {
    const bool is_read = std::ranges::any_of(layers, [&](std::size_t reader) {
      return std::ranges::find(graph.layers[reader].inputs, layer) !=
             graph.layers[reader].inputs.end();
    });
    if (is_read) continue;
    if (last) return std::nullopt;
    last = layer;
  }
  return last;
}

std::optional<std::size_t> main_of(const Graph& graph, const ProfiledNode& node,
                                   const std::vector<std::size_t>& layers) {
  const auto found = std::ranges::find_if(layers, [&](std::size_t layer) {
    return kind_of_operator(graph.layers[layer].op) == kind_of_operator(node.op);
  });
  return found == layers.end() ? std::nullopt : std::optional(*found);
}

/// The shape of the layer's first result; empty if unknown.
std::optional<Dims> result_of(const Layer& layer) {
  return layer.outputs.empty() ? std::nullopt : layer.outputs.front().shape;
}

}  // namespace

std::string signature(std::string_view key) {
  try {
    const Problem problem = parse(key);
    std::string text = std::visit([](const auto& shape) { return of(shape); }, problem.shape);
    if (!text.empty()) return text;
  } catch (const std::exception&) {
    // Keys of another version or invalid keys are only equal to themselves.
  }
  return std::string(key);
}

std::string_view kind_of_operator(std::string_view op) {
  if (const auto dot = op.rfind('.'); dot != op.npos) op.remove_prefix(dot + 1);
  if (op == "Gemm" || op == "FusedMatMul") return "MatMul";
  if (op == "GlobalAveragePool" || op == "ReduceMean") return "AveragePool";
  if (op == "GlobalMaxPool") return "MaxPool";
  if (op == "Sum") return "Add";
  if (op == "SkipLayerNormalization") return "LayerNormalization";
  if (op == "Upsample") return "Resize";
  return op;
}

bool is_padded(std::string_view run, std::string_view asked) {
  const Dims larger = extents_of_product(run);
  const Dims smaller = extents_of_product(asked);
  if (larger.empty() || larger.size() != smaller.size() || larger[0] != smaller[0]) return false;
  const auto fits = [](std::int64_t run_extent, std::int64_t extent) {
    const auto rounded_up = [&](std::int64_t step) { return (extent + step - 1) / step * step; };
    return run_extent == extent || run_extent == rounded_up(4) || run_extent == rounded_up(8);
  };
  return std::ranges::equal(larger, smaller, fits);
}

Evidence evidence(const Graph& graph, const ProfiledNode& node,
                  const std::vector<std::size_t>& layers) {
  const auto last = last_of(graph, layers);
  const auto main = main_of(graph, node, layers);
  if (!last || !main || node.outputs.empty()) return Evidence::none;
  const auto asked = result_of(graph.layers[*last]);
  if (!asked) return Evidence::none;
  const bool is_assumed = std::ranges::any_of(
      layers, [&](std::size_t layer) { return !graph.layers[layer].assumed.empty(); });
  const Evidence differs = is_assumed ? Evidence::none : Evidence::differs;
  const Fit result = fit(node.outputs.front(), *asked);
  if (result == Fit::other) return differs;
  const auto problem = problem_of(graph.layers[*main]);
  const Evidence operands =
      problem ? of_operands(*problem, node.inputs) : Evidence::agrees;  // nothing to compare
  if (operands == Evidence::differs) return differs;
  return result == Fit::same ? operands : Evidence::none;
}

std::string difference(const Graph& graph, const ProfiledNode& node,
                       const std::vector<std::size_t>& layers) {
  const auto last = last_of(graph, layers);
  const auto asked = last ? result_of(graph.layers[*last]) : std::nullopt;
  if (asked && fit(node.outputs.front(), *asked) == Fit::other) {
    return "writes " + join(node.outputs.front(), 'x') + ", and " + join(*asked, 'x') +
           " in the graph";
  }
  const auto main = main_of(graph, node, layers);
  std::string read;
  for (const Dims& shape : node.inputs) read += (read.empty() ? "" : " and ") + join(shape, 'x');
  return "reads " + read + ", and does " +
         (main && !graph.layers[*main].problems.empty() ? graph.layers[*main].problems.front()
                                                        : std::string("something else")) +
         " in the graph";
}

}  // namespace benanza::analysis
