#include <algorithm>

#include "core/problem/ops/copy.h"
#include "generator/onnx/fold/table.h"
#include "generator/onnx/views.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::fold {
namespace {

/// Combines the elements of every group that the reduction maps to one output.
template <class Combine>
std::vector<Literal> reduce(const Site& site, Combine combine) {
  const Dims& dims = site.shape(0);
  Dims kept = dims;
  for (const std::int64_t axis : reduced_axes(site)) kept[static_cast<std::size_t>(axis)] = 1;
  const auto to = positions(broadcast_view(kept, dims));
  return {std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> result(static_cast<std::size_t>(element_count(kept)));
        std::vector<bool> begun(result.size(), false);
        for (std::size_t index = 0; index < values.size(); ++index) {
          const auto group = static_cast<std::size_t>(to[index]);
          result[group] = begun[group] ? combine(result[group], values[index]) : values[index];
          begun[group] = true;
        }
        if (std::find(begun.begin(), begun.end(), false) != begun.end()) {
          throw NotExpressible("a reduction of nothing");
        }
        return result;
      },
      site.literal(0))};
}

std::vector<Literal> sum(const Site& site) {
  return reduce(site, [](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>) {
      return checked_sum(a, b);
    } else {
      return a + b;
    }
  });
}

std::vector<Literal> product(const Site& site) {
  return reduce(site, [](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>) {
      return checked_product(a, b);
    } else {
      return a * b;
    }
  });
}

std::vector<Literal> mean(const Site& site) {
  std::vector<Literal> result = sum(site);
  auto* values = std::get_if<std::vector<double>>(&result[0]);
  if (values == nullptr) throw NotExpressible("a mean of integers");
  const auto count = static_cast<double>(element_count(site.shape(0)));
  for (double& value : *values) value *= static_cast<double>(values->size()) / count;
  return result;
}

std::vector<Literal> maximum(const Site& site) {
  return reduce(site, [](auto a, auto b) { return std::max(a, b); });
}

std::vector<Literal> minimum(const Site& site) {
  return reduce(site, [](auto a, auto b) { return std::min(a, b); });
}

}  // namespace

void register_reduction(FoldTable& table) {
  table.add("ReduceSum", sum);
  table.add("ReduceMean", mean);
  table.add("ReduceProd", product);
  table.add("ReduceMax", maximum);
  table.add("ReduceMin", minimum);
}

}  // namespace benanza::onnx::fold
