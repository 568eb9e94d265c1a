#include "suites/harness/conditions/data_kind.h"

#include <variant>

namespace benanza::harness {
namespace {

template <class... Shapes>
bool is_one_of(const Problem& problem) {
  return (std::holds_alternative<Shapes>(problem.shape) || ...);
}

}  // namespace

std::string data_kind(const Problem& problem, Precision precision) {
  const bool products = is_one_of<Convolution, Deconvolution, ConvolutionFilterGradient, Gemm,
                                  Attention, Recurrent, RecurrentGradient>(problem);
  return precision == Precision::fp32 && products ? "random, 24 bits" : "random, 4 bits";
}

}  // namespace benanza::harness
