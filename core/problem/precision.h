#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace benanza {

/// Arithmetic and storage of a variant. fp32: no Tensor Cores, no TF32. tf32: fp32 storage, TF32
/// products. int8: 8-bit operands, signed unless the key says otherwise, 32-bit accumulation. fp8:
/// e4m3.
enum class Precision { fp32, tf32, fp16, bf16, int8, fp8 };
inline constexpr Precision all_precisions[] = {Precision::fp32, Precision::tf32, Precision::fp16,
                                               Precision::bf16, Precision::int8, Precision::fp8};

std::string_view to_string(Precision precision);
std::optional<Precision> parse_precision(std::string_view text);
/// Size of one stored element, in bytes.
std::int64_t element_bytes(Precision precision);

/// Order of a tensor's elements in memory. nchw and nhwc stand for every rank (ncw, ndhwc, ...).
/// any: the library's choice, including blocked formats. plain: row-major, for problems without a
/// channel order (matrices, copies).
enum class Layout { nchw, nhwc, any, plain };

std::string_view to_string(Layout layout);
std::optional<Layout> parse_layout(std::string_view text);

}  // namespace benanza
