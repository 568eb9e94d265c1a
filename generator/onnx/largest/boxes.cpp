#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/largest/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::largest {
namespace {

/// Rows of image, class and box: of every class of every image all its boxes, or as many as asked
/// for.
std::vector<std::optional<Largest>> suppress(const Site& site) {
  const Dims& scores = site.shape(1);
  if (scores.size() != 3) throw Error("scores need three axes: images, classes, boxes");
  std::int64_t boxes = scores[2];
  if (!site.has_input(2)) {
    boxes = 0;  // the default
  } else if (site.input(2).literal) {
    const Dims most = site.integers(2);
    if (most.size() != 1) throw Error("wants one number of boxes");
    boxes = std::clamp<std::int64_t>(most[0], 0, boxes);
  }
  const std::int64_t rows = checked_product(checked_product(scores[0], scores[1]), boxes);
  return {Largest{::onnx::TensorProto::INT64, {rows, 3}, {0}}};
}

}  // namespace

void register_boxes(LargestTable& table) { table.add("NonMaxSuppression", suppress); }

}  // namespace benanza::onnx::largest
