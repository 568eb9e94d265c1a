#include <optional>

#include "fusion/fusion.h"

namespace benanza {
namespace {

/// The pattern's name and the extents a bias of `product` has, seen as an operand of equal rank.
struct BiasForm {
  const char* pattern;
  Dims dims;
};

/// One value per filter.
Dims filter_dims(const Dims& input, std::int64_t filters) {
  Dims dims(input.size(), 1);
  dims[1] = filters;
  return dims;
}

std::optional<BiasForm> bias_form(const Shape& product) {
  if (const auto* conv = std::get_if<Convolution>(&product)) {
    return BiasForm{"conv_bias", filter_dims(conv->input, conv->filters)};
  }
  if (const auto* deconv = std::get_if<Deconvolution>(&product)) {
    return BiasForm{"deconv_bias", filter_dims(deconv->input, deconv->filters)};
  }
  if (const auto* gemm = std::get_if<Gemm>(&product); gemm != nullptr && gemm->batch_a.empty()) {
    return BiasForm{"gemm_bias", {1, gemm->n}};
  }
  return std::nullopt;
}

std::optional<Fusion> bias_fusion(const Layer& layer, int index) {
  if (layer.calls.size() != 2) return std::nullopt;
  const Problem& product = layer.calls[0].problem;
  const auto* bias = std::get_if<Binary>(&layer.calls[1].problem.shape);
  const std::optional<BiasForm> form = bias_form(product.shape);
  if (!form || bias == nullptr || bias->kind != BinaryKind::add || !bias->constant_b ||
      bias->a != output(product) || bias->b != form->dims) {
    return std::nullopt;
  }
  return Fusion{form->pattern, {index}, {product.shape, Epilogue{.bias = true}}};
}

}  // namespace

std::vector<Fusion> bias_fusions(const std::vector<Layer>& layers) {
  std::vector<Fusion> fusions;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    if (auto fusion = bias_fusion(layers[index], static_cast<int>(index))) {
      fusions.push_back(std::move(*fusion));
    }
  }
  return fusions;
}

}  // namespace benanza
