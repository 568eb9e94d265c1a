#include <onnx/onnx_pb.h>
#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Rows of (image, class, box): at most all boxes per class and image, or the requested number.
std::vector<std::optional<MaxShape>> suppress_max_shapes(const NodeView& node) {
  const Dims& scores = node.shape(1);
  if (scores.size() != 3) throw Error("scores need three axes: images, classes, boxes");
  std::int64_t boxes = scores[2];
  if (!node.has_input(2)) {
    boxes = 0;  // the default
  } else if (node.input(2).literal) {
    const Dims most = node.integers(2);
    if (most.size() != 1) throw Error("wants one number of boxes");
    boxes = std::clamp<std::int64_t>(most[0], 0, boxes);
  }
  const std::int64_t rows = checked_product(checked_product(scores[0], scores[1]), boxes);
  return {MaxShape{::onnx::TensorProto::INT64, {rows, 3}, {0}}};
}

}  // namespace

void register_non_max_suppression(OperatorTable& table) {
  table.add("NonMaxSuppression",
            {.max_shapes = suppress_max_shapes,
             .unsupported = "how much it keeps is only known when the model runs"});
}

}  // namespace benanza::onnx
