#include "generator/onnx/filter_bias.h"

#include "core/base/error.h"

namespace benanza::onnx {

Call filter_bias(const Site& site, std::size_t index, const Dims& output, Source result) {
  const std::int64_t filters = output[1];
  if (site.shape(index) != Dims{filters}) {
    throw Error("a bias of " + join(site.shape(index), 'x') + " for " + std::to_string(filters) +
                " filters");
  }
  Dims bias(output.size(), 1);
  bias[1] = filters;
  return call(Binary{.kind = BinaryKind::add,
                     .a = output,
                     .b = bias,
                     .constant_b = site.input(index).constant},
              {result, from_input(static_cast<int>(index))});
}

}  // namespace benanza::onnx
