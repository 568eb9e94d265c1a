#include "core/base/error.h"
#include "generator/onnx/model/checked_math.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Keeps one side of a diagonal of the last two axes.
std::vector<Literal> fold_trilu(const NodeView& node) {
  const Dims& dims = node.shape(0);
  if (dims.size() < 2) throw Error("needs at least two axes");
  const std::int64_t diagonal = whole(node.scalar(1, 0));
  const bool upper = node.integer("upper", 1) != 0;
  const std::int64_t rows = dims.end()[-2];
  const std::int64_t columns = dims.end()[-1];
  Literal result = node.literal(0);
  std::visit(
      [&](auto& values) {
        for (std::size_t index = 0; index < values.size(); ++index) {
          const std::int64_t column = static_cast<std::int64_t>(index) % columns;
          const std::int64_t row = static_cast<std::int64_t>(index) / columns % rows;
          const bool kept = upper ? column - row >= diagonal : column - row <= diagonal;
          if (!kept) values[index] = 0;
        }
      },
      result);
  return {result};
}

}  // namespace

void register_trilu(OperatorTable& table) {
  table.add("Trilu",
            {.fold = fold_trilu, .unsupported = "no library here clears one side of a diagonal"});
  table.add("com.microsoft.Trilu", {.shapes = {{like_first}}});
}

}  // namespace benanza::onnx
