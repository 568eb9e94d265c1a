#pragma once

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Makes products behind other calls of the layer of `step`, such as those of experts, products
/// with weights as the file stores them, where one takes their scales; of others the layer says
/// that they are products of floats.
void describe_later_products(const Program& program, const Step& step, LoweredLayer& layer);

}  // namespace benanza::onnx
