#include "suites/onednn/api/variant_context.h"

#include <array>
#include <string>

#include "core/problem/ops/copy.h"
#include "suites/harness/primitive.h"

namespace benanza::onednn {
namespace {

using Tag = Memory::format_tag;

constexpr std::size_t least_channel_rank = 3;
constexpr std::size_t most_channel_rank = 5;
constexpr std::int64_t smallest_block = 8;

Memory::data_type storage_type(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return Memory::data_type::f32;
    case Precision::fp16:
      return Memory::data_type::f16;
    case Precision::bf16:
      return Memory::data_type::bf16;
    case Precision::int8:
      return Memory::data_type::s8;
    case Precision::tf32:
    case Precision::fp8:
      break;
  }
  throw harness::Unsupported("oneDNN on CPUs has no " + std::string(to_string(precision)));
}

bool has(dnnl::cpu_isa wanted) {
  const auto bits = [](dnnl::cpu_isa isa) { return static_cast<unsigned>(isa); };
  return (bits(dnnl::get_effective_cpu_isa()) & bits(wanted)) == bits(wanted);
}

Tag channel_tag(Layout layout, std::size_t rank) {
  if (rank < least_channel_rank || rank > most_channel_rank) {
    throw harness::Unsupported("oneDNN has no " + std::string(to_string(layout)) + " of rank " +
                               std::to_string(rank));
  }
  const std::size_t spatial_axes = rank - 2;
  constexpr std::array last{Tag::nwc, Tag::nhwc, Tag::ndhwc};
  constexpr std::array blocks_of_8{Tag::nCw8c, Tag::nChw8c, Tag::nCdhw8c};
  constexpr std::array blocks_of_16{Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c};
  if (layout == Layout::nhwc) return last[spatial_axes - 1];
  return (has(dnnl::cpu_isa::avx512_core) ? blocks_of_16 : blocks_of_8)[spatial_axes - 1];
}

/// The library has no tensors of rank 0, and at most 12 axes.
Memory::desc described(Dims dims, Dims strides, Memory::data_type type) {
  if (dims.empty()) {
    dims = {1};
    strides = {1};
  }
  if (dims.size() > DNNL_MAX_NDIMS) {
    throw harness::Unsupported("oneDNN has no tensors of rank " + std::to_string(dims.size()));
  }
  return {dims, type, strides};
}

}  // namespace

VariantContext::VariantContext(const dnnl::engine& engine, Precision precision, Layout layout,
                               Domain data)
    : engine_(engine),
      precision_(precision),
      layout_(layout),
      type_(storage_type(precision)),
      data_(data) {}

VariantContext VariantContext::as_dequantized() const {
  VariantContext floats = *this;
  floats.type_ = Memory::data_type::f32;
  return floats;
}

bool VariantContext::multiplies_bf16() { return has(dnnl::cpu_isa::avx512_core_bf16); }

VariantContext VariantContext::as_rounded() const {
  VariantContext rounded = *this;
  rounded.rounded_ = true;
  return rounded;
}

VariantContext VariantContext::of_weights() const {
  VariantContext weights = *this;
  if (rounded_) weights.type_ = Memory::data_type::bf16;
  return weights;
}

VariantContext VariantContext::of_data() const {
  VariantContext data = of_weights();
  if (integers() && data_ == Domain::unsigned_bytes) data.type_ = Memory::data_type::u8;
  return data;
}

VariantContext VariantContext::in(Layout layout) const {
  VariantContext other = *this;
  other.layout_ = layout;
  return other;
}

Memory::desc VariantContext::tensor(const Dims& dims) const {
  if (layout_ == Layout::plain || layout_ == Layout::nchw) return plain(dims);
  return {dims, type_, channel_tag(layout_, dims.size())};
}

Memory::desc VariantContext::chosen_by_library(const Dims& dims) const {
  return {dims, type_, Tag::any};
}

Memory::desc VariantContext::plain(const Dims& dims) const {
  return strided(dims, dense_strides(dims));
}

Memory::desc VariantContext::strided(const Dims& dims, const Dims& strides) const {
  return described(dims, strides, type_);
}

dnnl::primitive_attr VariantContext::attributes() const {
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Memory::desc floats(const Dims& dims) { return floats(dims, dense_strides(dims)); }

Memory::desc floats(const Dims& dims, const Dims& strides) {
  return described(dims, strides, Memory::data_type::f32);
}

std::vector<Layout> channel_layouts(const Dims& dims) {
  if (dims.size() < least_channel_rank || dims.size() > most_channel_rank) return {Layout::plain};
  if (dims[1] < smallest_block) return {Layout::nchw, Layout::nhwc};
  return {Layout::nchw, Layout::nhwc, Layout::any};
}

}  // namespace benanza::onednn
