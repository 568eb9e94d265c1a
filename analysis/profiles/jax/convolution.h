#pragma once

#include <optional>
#include <string_view>

#include "analysis/profiles/jax/hlo.h"
#include "analysis/profiles/jax/text.h"
#include "core/problem/problem.h"

/// XLA's convolutions: labels of axes, windows, and pads.
namespace benanza::analysis::jax {

/// Reorders sizes by the letters of dim_labels: "b01f" of {4, 32, 16, 3} gives {4, 3, 32, 16}.
std::optional<Dims> in_order(std::string_view labels, const Dims& dims, char first, char second);

/// The axes of a convolution's operands, a letter each: in the input's labels, "0" is the first
/// spatial axis.
struct Labels {
  std::string_view input{};
  std::string_view kernel{};
  std::string_view output{};
};
/// Parses "dim_labels=b01f_o01i->b01f".
std::optional<Labels> labels_of(const Instruction& call);

/// Parses the convolution of "window={size=3x3 stride=2x2 pad=1_1x1_1}", whose input is also padded
/// by `around`. `input` is batch, channels and image; `kernel` is filters, channels and window.
std::optional<Convolution> convolution_of(const Instruction& call, const Dims& input,
                                          const Dims& kernel, const Pads& around);

/// A convolution of an image with zeros between its pixels ("lhs_dilate=2x2"), the gradient of a
/// strided one's input. Empty if it is none.
std::optional<Deconvolution> transposed_convolution(const Instruction& call, const Dims& input,
                                                    const Dims& kernel);

/// A filter gradient, as XLA writes it for processors: channels are the batch, and the gradient of
/// the output is a window larger than the result. `input` and `kernel` as in convolution_of(),
/// `output` likewise. Empty if it is none.
std::optional<ConvolutionFilterGradient> filter_gradient(const Instruction& call, const Dims& input,
                                                         const Dims& kernel, const Dims& output);

/// Parses "0_0x0_1x0_1x0_0" by the letters of `labels`. Empty if it is not just the padding of an
/// image: if it pads between elements, is negative, or pads batch or channels.
std::optional<Pads> image_pads(std::string_view text, std::string_view labels);

}  // namespace benanza::analysis::jax
