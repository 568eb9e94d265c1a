#include "suites/onednn/api/api.h"

namespace benanza::onednn::api {

Dims dims(const Memory::desc& format) { return format.dims(); }

Memory::data_type data_type(const Memory::desc& format) { return format.data_type(); }

bool is_blocked(const Memory::desc& format) { return format.data.format_kind == dnnl_blocked; }

Blocking blocking(const Memory::desc& format) {
  const auto& blocking = format.data.format_desc.blocking;
  return {{blocking.strides, blocking.strides + format.data.ndims},
          {blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks},
          {blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks}};
}

std::string_view own_isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::all:
      return "all";
    case dnnl::cpu_isa::avx512_mic:
      return "avx512_mic";
    case dnnl::cpu_isa::avx512_mic_4ops:
      return "avx512_mic_4ops";
    default:
      return "";
  }
}

void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm function, float alpha, float beta) {
  constexpr float scale = 1;
  operations.append_eltwise(scale, function, alpha, beta);
}

dnnl::concat::primitive_desc concat(const dnnl::engine& engine, const Memory::desc& result,
                                    int axis, const std::vector<Memory::desc>& sources,
                                    const dnnl::primitive_attr& attributes) {
  return {result, axis, sources, engine, attributes};
}

dnnl::sum::primitive_desc sum(const dnnl::engine& engine, const Memory::desc& result,
                              const std::vector<float>& factors,
                              const std::vector<Memory::desc>& sources,
                              const dnnl::primitive_attr& attributes) {
  return {result, factors, sources, engine, attributes};
}

Scaling scale_product(dnnl::primitive_attr& attributes, float scale) {
  attributes.set_output_scales(0, {scale});
  return {};
}

std::vector<Constant> scale_reorder(dnnl::primitive_attr& attributes, int mask, std::size_t count,
                                    float scale) {
  attributes.set_output_scales(mask, std::vector<float>(count, scale));
  return {};
}

}  // namespace benanza::onednn::api
