#include "analysis/questions/serve/windows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

std::int64_t cached_tokens(const Attention& attention) {
  if (attention.window == 0) return attention.keys;
  return std::min(attention.keys, attention.window + attention.queries - 1);
}

/// The scores' product has keys as columns, that of the values sums over them.
std::int64_t cached_tokens(const Gemm& gemm) { return gemm.transpose_b ? gemm.n : gemm.k; }

/// Tokens of a sequence that the problem reads from a cache; empty if none is an operand.
std::optional<std::int64_t> tokens_read(const Problem& problem) {
  const std::vector<Operand> operands = inputs(problem);
  if (std::ranges::find(operands, Role::cache, &Operand::role) == operands.end()) return {};
  return std::visit(
      [](const auto& shape) -> std::optional<std::int64_t> {
        if constexpr (requires { cached_tokens(shape); }) return cached_tokens(shape);
        return std::nullopt;
      },
      problem.shape);
}

std::optional<std::int64_t> tokens_read(const Layer& layer) {
  for (const std::string& key : layer.problems) {
    if (const auto tokens = tokens_read(parse(key))) return tokens;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::vector<double>> limits_of(ServingPhase phase, const MeasuredSteps& steps) {
  const auto axes = axes_of(phase);
  const auto past = static_cast<std::size_t>(std::ranges::find(axes, "past") - axes.begin());
  if (past == axes.size() || steps.empty()) return {};
  std::vector<double> limits(steps.front()->second->layers.size(), no_limit);
  for (const auto* const step : steps) {
    const auto& [point, graph] = *step;
    for (std::size_t layer = 0; layer < limits.size(); ++layer) {
      const auto tokens = tokens_read(graph->layers[layer]);
      if (!tokens || *tokens >= point.past + point.new_tokens) continue;
      limits[layer] = std::min(limits[layer], static_cast<double>(*tokens - point.new_tokens));
    }
  }
  if (std::ranges::all_of(limits, [](double limit) { return limit == no_limit; })) return {};
  std::vector<std::vector<double>> all(axes.size());
  all[past] = std::move(limits);
  return all;
}

}  // namespace benanza::analysis
