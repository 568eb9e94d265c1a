#include "suites/onednn/api/api.h"

namespace benanza::onednn::api {

Dims dims(const Memory::desc& format) { return format.get_dims(); }

Memory::data_type data_type(const Memory::desc& format) { return format.get_data_type(); }

bool is_blocked(const Memory::desc& format) {
  return format.get_format_kind() == Memory::format_kind::blocked;
}

Blocking blocking(const Memory::desc& format) {
  return {format.get_strides(), format.get_inner_blks(), format.get_inner_idxs()};
}

std::string_view own_isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::isa_default:
      return "default";
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    default:
      return "";
  }
}

void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm function, float alpha, float beta) {
  operations.append_eltwise(function, alpha, beta);
}

dnnl::concat::primitive_desc concat(const dnnl::engine& engine, const Memory::desc& result,
                                    int axis, const std::vector<Memory::desc>& sources,
                                    const dnnl::primitive_attr& attributes) {
  return {engine, result, axis, sources, attributes};
}

dnnl::sum::primitive_desc sum(const dnnl::engine& engine, const Memory::desc& result,
                              const std::vector<float>& factors,
                              const std::vector<Memory::desc>& sources,
                              const dnnl::primitive_attr& attributes) {
  return {engine, result, factors, sources, attributes};
}

/// Scales the weights. The library adds the bias later, and a scale of the result would come after
/// the post-ops, too late for a residual that is stored scaled.
Scaling scale_product(dnnl::primitive_attr& attributes, float scale) {
  constexpr int one_for_all = 0;
  attributes.set_scales_mask(DNNL_ARG_WEIGHTS, one_for_all);
  return {.constants = {{DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, {scale}}}, .bias_factor = scale};
}

std::vector<Constant> scale_reorder(dnnl::primitive_attr& attributes, int mask, std::size_t count,
                                    float scale) {
  attributes.set_scales_mask(DNNL_ARG_FROM, mask);
  return {{DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, std::vector<float>(count, scale)}};
}

}  // namespace benanza::onednn::api
