#include "suites/cudnn/primitive/cudnn_primitive.h"

#include <utility>

namespace benanza::cudnn {

Layer::Layer(Library& library, const Variant& variant, std::vector<TensorFormat> inputs,
             TensorFormat output, std::int64_t workspace_bytes)
    : CudaPrimitive(library.cuda(), std::move(inputs), std::move(output), workspace_bytes),
      library_(library),
      scale_(variant.precision == Precision::int8 ? int8_scale(variant.problem) : 1.0F) {}

Layer::Layer(Library& library, const Variant& variant, std::vector<TensorFormat> inputs,
             std::int64_t workspace_bytes)
    : Layer(library, variant, std::move(inputs), dense_output(variant), workspace_bytes) {}

std::vector<TensorFormat> dense_inputs(const Variant& variant) {
  std::vector<TensorFormat> formats;
  for (const Operand& operand : inputs(variant.problem)) {
    formats.push_back(dense(variant.precision, operand.dims, variant.layout));
  }
  return formats;
}

TensorFormat dense_output(const Variant& variant) {
  return dense(variant.precision, output(variant.problem), variant.layout);
}

}  // namespace benanza::cudnn
