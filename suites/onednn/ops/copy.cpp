#include <algorithm>

#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"

namespace benanza::onednn {
namespace {

/// A reorder between two strided views of the same type.
Plan plan_reorder(const Copy& shape, const Setting& setting) {
  return {.offer = Offer(dnnl::reorder::primitive_desc(
              setting.engine(), setting.strided(shape.dims, shape.from), setting.engine(),
              setting.strided(shape.dims, shape.to), setting.attributes())),
          .operands = {{DNNL_ARG_FROM, floats(shape.dims, shape.from)}},
          .result = {DNNL_ARG_TO, floats(shape.dims, shape.to)}};
}

/// Reading elements again and again is a nearest resampling of axes that are 1 long: of the last
/// three axes of a tensor of at most five.
Plan plan_repetition(const Copy& shape, const Setting& setting) {
  using Forward = dnnl::resampling_forward;
  constexpr std::size_t most_scaled = 3;
  constexpr std::size_t most = 5;
  const std::size_t rank = shape.dims.size();
  Dims source = shape.dims;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (shape.from[axis] == 0) source[axis] = 1;
  }
  const Dims strides = dense_strides(source);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (shape.from[axis] != 0 ? shape.from[axis] != strides[axis]
                              : rank > most_scaled && axis < rank - most_scaled) {
      throw Unsupported("oneDNN's resampling repeats the last three axes of a dense tensor only");
    }
  }
  if (rank > most || shape.to != dense_strides(shape.dims)) {
    throw Unsupported("oneDNN's reorder reads no element twice, its resampling writes no view");
  }
  Dims target = shape.dims;
  // n, c, and one to three axes that are scaled.
  const std::size_t leading = rank > most_scaled ? most - rank : 2;
  source.insert(source.begin(), leading, 1);
  target.insert(target.begin(), leading, 1);
  const Forward::desc descriptor(dnnl::prop_kind::forward_inference,
                                 dnnl::algorithm::resampling_nearest, setting.plain(source),
                                 setting.plain(target));
  return {.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
          .operands = {{DNNL_ARG_SRC, floats(source)}},
          .result = {DNNL_ARG_DST, floats(target)}};
}

}  // namespace

Solver solver(const Copy& shape, const Problem&) {
  return solver_of_one({Layout::plain}, [shape](const Setting& setting) {
    const bool repeats = std::find(shape.from.begin(), shape.from.end(), 0) != shape.from.end();
    return repeats ? plan_repetition(shape, setting) : plan_reorder(shape, setting);
  });
}

}  // namespace benanza::onednn
