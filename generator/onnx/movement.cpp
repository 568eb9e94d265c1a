#include "generator/onnx/movement.h"

#include "core/problem/ops/copy.h"

namespace benanza::onnx {

Call copy_call(const View& from, const View& to, int output) {
  const Copy copy{.dims = from.dims, .from = from.strides, .to = to.strides};
  Call result = call(copy.canonical(), {from_input(0)});
  result.from_offset = from.offset;
  result.to_offset = to.offset;
  result.output = output;
  return result;
}

Call stand_in(const Site& site, std::int64_t elements, int input) {
  const bool enough = element_count(site.shape(static_cast<std::size_t>(input))) >= elements;
  Call result = call(Copy{.dims = {elements}, .from = {enough ? 1 : 0}, .to = {1}}.canonical(),
                     {from_input(input)});
  result.is_proxy = true;
  return result;
}

View dense_view(const Dims& dims) { return {dims, dense_strides(dims), 0}; }

}  // namespace benanza::onnx
