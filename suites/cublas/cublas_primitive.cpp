#include "suites/cublas/cublas_primitive.h"

#include <utility>

#include "suites/nvidia/device/convert.h"

namespace benanza::cublas {

CublasPrimitive::CublasPrimitive(Library& library, const harness::Variant& variant, Product product,
                                 std::int64_t workspace_bytes, Weights weights)
    : CudaPrimitive(library.cuda(),
                    operand_formats(variant.problem, variant.precision, variant.layout, weights),
                    result_format(variant.problem, variant.precision, variant.layout),
                    workspace_bytes),
      library_(library),
      product_(std::move(product)) {
  guard(work(variant.problem, variant.precision), variant.precision);
  if (product_.sources[0] && product_.sources[1]) return;
  const auto format = nvidia::tensor_format(variant.precision, {product_.gemm.k}, Layout::plain);
  ones_ = nvidia::DeviceMemory(nvidia::span_bytes(format));
  const std::vector<float> values(static_cast<std::size_t>(product_.gemm.k), 1);
  ones_.write(nvidia::to_storage(values, format), stream());
}

std::byte* CublasPrimitive::factor(std::size_t index) const {
  const auto& source = product_.sources.at(index);
  return source ? input(*source) : ones_.data();
}

}  // namespace benanza::cublas
