#include <cstdlib>

#include "core/api_log/libraries.h"

namespace benanza::api_log {
namespace {

/// Of a tensor of more than one channel and pixel: which of them is next to which in memory.
std::optional<Layout> layout_of(const Dims& extents, const Dims& strides) {
  if (extents.size() < 3 || strides.size() != extents.size() || extents[1] == 1)
    return std::nullopt;
  return strides[1] == 1 ? Layout::nhwc : Layout::nchw;
}

/// "CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM (1)" as the cudnn suite calls it.
std::string classic_algorithm(std::string_view value) {
  const std::string_view name = between(value, "CUDNN_CONVOLUTION_FWD_ALGO_", " ");
  return lower_case(name);
}

std::string engine(const Entry& entry) {
  const std::string_view id = entry.value("engine_id");
  if (id.empty()) return "";
  std::string text = "engine " + std::string(id);
  for (const auto& [name, value] : entry.below("knobDesc")) {
    constexpr std::string_view prefix = "CUDNN_KNOB_TYPE_";
    const std::string_view knob = name;
    if (knob.starts_with(prefix)) {
      text += ' ' + std::string(knob.substr(prefix.size())) + '=' + value;
    }
  }
  return text;
}

std::optional<LibraryCall> convolution(const Entry& entry) {
  const Dims input = dims(entry.value("xDesc.dimA"));
  const Dims weights = dims(entry.value("wDesc.dimA"));
  if (input.size() < 3 || weights.size() != input.size() || weights[1] < 1) return std::nullopt;
  Dims begins = dims(entry.value("convDesc.lowerPadA"));
  Dims ends = dims(entry.value("convDesc.upperPadA"));
  if (begins.empty()) begins = ends = dims(entry.value("convDesc.padA"));
  Dims pads = begins;
  pads.insert(pads.end(), ends.begin(), ends.end());
  const Convolution shape{.input = input,
                          .filters = weights[0],
                          .window = {.kernel = spatial(weights),
                                     .pads = pads,
                                     .strides = dims(entry.value("convDesc.strideA")),
                                     .dilations = dims(entry.value("convDesc.dilationA"))},
                          .groups = input[1] / weights[1]};
  std::string_view type = entry.value("xDesc.dataType");
  if (type.empty()) type = entry.value("xDesc.type");
  std::string algorithm = classic_algorithm(entry.value("algo"));
  if (algorithm.empty()) algorithm = engine(entry);
  return LibraryCall{.library = "cudnn",
                     .function = entry.function(),
                     .problem = key_of(shape),
                     .algorithm = algorithm,
                     .data = precision(type),
                     .layout = layout_of(input, dims(entry.value("xDesc.strideA")))};
}

std::optional<LibraryCall> batch_normalization(const Entry& entry) {
  const Dims input = dims(entry.value("xDesc.dimA"));
  const std::string epsilon(entry.value("epsilon"));
  if (input.empty() || epsilon.empty()) return std::nullopt;
  const BatchNormalization shape{.input = input, .epsilon = std::strtof(epsilon.c_str(), nullptr)};
  return LibraryCall{.library = "cudnn",
                     .function = entry.function(),
                     .problem = key_of(shape),
                     .algorithm = "",
                     .data = precision(entry.value("xDesc.dataType")),
                     .layout = layout_of(input, dims(entry.value("xDesc.strideA")))};
}

}  // namespace

std::optional<LibraryCall> cudnn_call(const Entry& entry) {
  const std::string& function = entry.function();
  if (function == "cudnnBackendExecute") {
    const bool forward = entry.type("operation").find("CONVOLUTION_FORWARD") != std::string::npos;
    return forward ? convolution(entry) : std::nullopt;
  }
  if (function == "cudnnConvolutionForward" ||
      function == "cudnnConvolutionBiasActivationForward") {
    return convolution(entry);
  }
  if (function == "cudnnBatchNormalizationForwardInference") return batch_normalization(entry);
  return std::nullopt;
}

}  // namespace benanza::api_log
