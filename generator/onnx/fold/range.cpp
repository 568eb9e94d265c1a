#include "onnx/fold/table.h"

namespace benanza::fold {
namespace {

std::vector<Literal> range(const Site& site) {
  const auto count = element_count(site.output_shape(0));
  return {std::visit(
      [&](const auto& start) -> Literal {
        std::decay_t<decltype(start)> values;
        const auto& delta = std::get<std::decay_t<decltype(start)>>(site.literal(2));
        for (std::int64_t index = 0; index < count; ++index) {
          values.push_back(start.at(0) +
                           static_cast<std::decay_t<decltype(start[0])>>(index) * delta.at(0));
        }
        return values;
      },
      site.literal(0))};
}

}  // namespace

void register_range(FoldTable& table) { table.add("Range", range); }

}  // namespace benanza::fold
