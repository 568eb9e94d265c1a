#include "generator/onnx/operators/shared/zero_point.h"

#include <utility>
#include <variant>

#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {

std::vector<Call> with_sums_of_data(Call product, Source zero_point) {
  Call sums{.problem = {product.problem.shape, {}}, .operands = {product.operands[0], zero_point}};
  const Dims whole = output(sums.problem);
  Dims dims = whole;
  if (auto* const convolution = std::get_if<Convolution>(&sums.problem.shape)) {
    const bool is_depthwise = convolution->filters == convolution->groups;
    if (convolution->groups > 1 && !is_depthwise) {
      throw NotExpressible("weights in groups with a zero point of their own");
    }
    convolution->filters = convolution->groups;
    dims[1] = convolution->groups;
  } else {
    std::get<Gemm>(sums.problem.shape).n = 1;
    dims.back() = 1;
  }
  Call difference = elementwise_call(BinaryKind::sub, {whole, false, from_call(0)},
                                     {std::move(dims), false, from_call(1)});
  return {std::move(product), std::move(sums), std::move(difference)};
}

}  // namespace benanza::onnx
