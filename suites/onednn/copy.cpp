#include <algorithm>

#include "harness/primitive.h"
#include "onednn/operators.h"

namespace benanza::onednn {

/// A reorder between two strided views of the same type.
Solver solver(const Copy& shape, const Problem&) {
  return solver_of_one({Layout::plain}, [shape](const Setting& setting) {
    if (std::find(shape.from.begin(), shape.from.end(), 0) != shape.from.end()) {
      throw Unsupported("oneDNN's reorder reads no element twice");
    }
    return Plan{.offer = Offer(dnnl::reorder::primitive_desc(
                    setting.engine(), setting.strided(shape.dims, shape.from), setting.engine(),
                    setting.strided(shape.dims, shape.to), setting.attributes())),
                .operands = {{DNNL_ARG_FROM, floats(shape.dims, shape.from)}},
                .result = {DNNL_ARG_TO, floats(shape.dims, shape.to)}};
  });
}

}  // namespace benanza::onednn
