#include "analysis/profiles/jax/convolution.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.h"

namespace benanza::analysis::jax {
using text::between;
using text::integer;

std::optional<Dims> in_order(std::string_view labels, const Dims& dims, char first, char second) {
  if (labels.size() != dims.size()) return std::nullopt;
  Dims result;
  const auto take = [&](char letter) {
    const auto at = labels.find(letter);
    if (at != labels.npos) result.push_back(dims[at]);
  };
  take(first);
  take(second);
  for (char letter = '0'; letter <= '9'; ++letter) take(letter);
  return result.size() == dims.size() ? std::optional(result) : std::nullopt;
}

std::optional<Labels> labels_of(const Instruction& call) {
  const std::string_view text = between(call.attributes, "dim_labels=", ", ");
  const auto line = text.find('_');
  const auto arrow = text.find("->");
  if (line == text.npos || arrow == text.npos || arrow < line) return std::nullopt;
  return Labels{.input = text.substr(0, line),
                .kernel = text.substr(line + 1, arrow - line - 1),
                .output = text.substr(arrow + 2)};
}

/// `kernel` has filters and channels first.
Window window_of(const Dims& kernel, Pads pads, const Dims& strides, const Dims& dilations) {
  pads.first.insert(pads.first.end(), pads.second.begin(), pads.second.end());
  return {.kernel = Dims(kernel.begin() + 2, kernel.end()),
          .pads = std::move(pads.first),
          .strides = strides,
          .dilations = dilations};
}

std::optional<Convolution> convolution_of(const Instruction& call, const Dims& input,
                                          const Dims& kernel, const Pads& around) {
  if (input.size() < 3 || kernel.size() != input.size()) return std::nullopt;
  const std::size_t axes = input.size() - 2;
  const auto strides = window_sizes(call.attributes, "stride", axes);
  const auto dilations = window_sizes(call.attributes, "rhs_dilate", axes);
  const auto input_dilations = window_sizes(call.attributes, "lhs_dilate", axes);
  if (!strides || !dilations || input_dilations != Dims(axes, 1) ||
      !window_field(call.attributes, "rhs_reversal").empty() ||
      call.attributes.find("batch_group_count=") != std::string::npos) {
    return std::nullopt;
  }
  auto [begins, ends] = window_pads(call.attributes, axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    begins[axis] += around.first[axis];
    ends[axis] += around.second[axis];
  }
  return Convolution{.input = input,
                     .filters = kernel[0],
                     .window = window_of(kernel, {begins, ends}, *strides, *dilations),
                     .groups = kernel[1] > 0 ? input[1] / kernel[1] : 1};
}

std::optional<Deconvolution> transposed_convolution(const Instruction& call, const Dims& input,
                                                    const Dims& kernel) {
  if (input.size() < 3 || kernel.size() != input.size() || kernel[1] < 1 ||
      window_field(call.attributes, "lhs_dilate").empty() ||
      !window_field(call.attributes, "stride").empty()) {
    return std::nullopt;
  }
  const std::size_t axes = input.size() - 2;
  const auto strides = window_sizes(call.attributes, "lhs_dilate", axes);
  const auto dilations = window_sizes(call.attributes, "rhs_dilate", axes);
  // Reversed in all axes or in none: which of the two is a matter of how the weights are stored.
  const std::string_view reversal = window_field(call.attributes, "rhs_reversal");
  const bool is_whole = reversal.empty() || numbers(reversal, 'x') == Dims(axes, 1);
  if (!strides || !dilations || !is_whole) return std::nullopt;
  auto [begins, ends] = window_pads(call.attributes, axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t reach = (kernel[axis + 2] - 1) * (*dilations)[axis];
    begins[axis] = reach - begins[axis];
    ends[axis] = reach - ends[axis];
  }
  return Deconvolution{.input = input,
                       .filters = kernel[0],
                       .window = window_of(kernel, {begins, ends}, *strides, *dilations),
                       .groups = input[1] / kernel[1]};
}

std::optional<ConvolutionFilterGradient> filter_gradient(const Instruction& call, const Dims& input,
                                                         const Dims& kernel, const Dims& output) {
  const bool is_gradient =
      between(call.attributes, "op_name=\"", "\"").find("transpose(jvp") != std::string_view::npos;
  const std::size_t rank = input.size();
  if (!is_gradient || rank < 3 || kernel.size() != rank || output.size() != rank ||
      kernel[1] != input[1] || !window_field(call.attributes, "lhs_dilate").empty() ||
      !window_field(call.attributes, "rhs_reversal").empty() ||
      call.attributes.find("_group_count=") != std::string::npos) {
    return std::nullopt;
  }
  const std::size_t axes = rank - 2;
  const auto strides = window_sizes(call.attributes, "rhs_dilate", axes);
  const auto dilations = window_sizes(call.attributes, "stride", axes);
  if (!strides || !dilations) return std::nullopt;
  Window window{.kernel = Dims(output.begin() + 2, output.end()),
                .pads = window_pads(call.attributes, axes).first,
                .strides = *strides,
                .dilations = *dilations};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (kernel[axis + 2] <= window.kernel[axis]) return std::nullopt;
    // Of the forward pass: what its last window needs beyond the image.
    const std::int64_t needed = (kernel[axis + 2] - 1) * window.strides[axis] +
                                (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    window.pads.push_back(std::max<std::int64_t>(0, needed - input[axis + 2] - window.pads[axis]));
  }
  Convolution forward{.input = input, .filters = kernel[0], .window = std::move(window)};
  std::swap(forward.input[0], forward.input[1]);
  Dims result = kernel;
  std::swap(result[0], result[1]);
  if (forward.output() != result) return std::nullopt;
  return ConvolutionFilterGradient{std::move(forward)};
}

std::optional<Pads> image_pads(std::string_view text, std::string_view labels) {
  std::map<char, std::pair<std::int64_t, std::int64_t>> of_axis;
  for (const char label : labels) {
    const auto pads = numbers(text.substr(0, text.find('x')), '_');
    text.remove_prefix(std::min(text.find('x'), text.size() - 1) + 1);
    if (!pads || pads->size() < 2 || pads->size() > 3) return std::nullopt;
    if (pads->size() == 3 && pads->back() != 0) return std::nullopt;
    if (pads->front() < 0 || (*pads)[1] < 0) return std::nullopt;
    of_axis[label] = {pads->front(), (*pads)[1]};
  }
  Pads result;
  for (const auto& [label, pads] : of_axis) {
    const bool is_image = '0' <= label && label <= '9';
    if (!is_image && pads != std::pair<std::int64_t, std::int64_t>{}) return std::nullopt;
    if (!is_image) continue;
    result.first.push_back(pads.first);
    result.second.push_back(pads.second);
  }
  return result;
}

}  // namespace benanza::analysis::jax
