#include <type_traits>

#include "generator/onnx/fold/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::fold {
namespace {

std::vector<Literal> range(const Site& site) {
  const auto count = element_count(site.output_shape(0));
  return {std::visit(
      [&](const auto& start) -> Literal {
        std::decay_t<decltype(start)> values;
        const auto& delta = std::get<std::decay_t<decltype(start)>>(site.literal(2));
        for (std::int64_t index = 0; index < count; ++index) {
          if constexpr (std::is_integral_v<std::decay_t<decltype(start[0])>>) {
            values.push_back(checked_sum(start.at(0), checked_product(index, delta.at(0))));
          } else {
            values.push_back(start.at(0) + static_cast<double>(index) * delta.at(0));
          }
        }
        return values;
      },
      site.literal(0))};
}

}  // namespace

void register_range(FoldTable& table) { table.add("Range", range); }

}  // namespace benanza::onnx::fold
