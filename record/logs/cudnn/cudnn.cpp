// cuDNN's log: CUDNN_LOGLEVEL_DBG, CUDNN_LOGINFO_DBG. An entry of many lines for a call.
#include <cstdlib>
#include <initializer_list>

#include "core/base/text.h"
#include "core/problem/problem.h"
#include "record/logs/cudnn/attention.h"
#include "record/logs/cudnn/graph.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::record {
namespace {

using text::between;
using text::integer;
using text::lower_case;

/// The layout of a tensor with more than one channel, from the stride of its channels.
std::optional<Layout> layout_of(const Dims& extents, const Dims& strides) {
  if (extents.size() < 3 || strides.size() != extents.size() || extents[1] == 1)
    return std::nullopt;
  return strides[1] == 1 ? Layout::nhwc : Layout::nchw;
}

/// The cudnn suite's name for "CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM (1)".
std::string classic_algorithm(std::string_view value) {
  for (const std::string_view prefix :
       {"CUDNN_CONVOLUTION_FWD_ALGO_", "CUDNN_CONVOLUTION_BWD_DATA_ALGO_",
        "CUDNN_CONVOLUTION_BWD_FILTER_ALGO_"}) {
    const std::string_view name = between(value, prefix, " ");
    if (name.empty()) continue;
    return (integer(name) ? "algo_" : "") + lower_case(name);
  }
  return "";
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

/// The first of `tensors` that the entry has, such as "xDesc".
struct Tensor {
  Dims extents{};
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
};
Tensor tensor(const Entry& entry, std::initializer_list<std::string_view> tensors) {
  for (const std::string_view name : tensors) {
    const std::string path(name);
    Tensor found{.extents = dims(entry.value(path + ".dimA"))};
    if (found.extents.empty()) continue;
    std::string_view type = entry.value(path + ".dataType");
    if (type.empty()) type = entry.value(path + ".type");
    found.data = precision(type);
    found.layout = layout_of(found.extents, dims(entry.value(path + ".strideA")));
    return found;
  }
  return {};
}

enum class Pass { forward, data_gradient, filter_gradient };

/// The forward convolution of any pass, from its input and weights.
std::optional<Convolution> convolution_of(const Entry& entry, const Dims& input,
                                          const Dims& weights) {
  if (input.size() < 3 || weights.size() != input.size() || weights[1] < 1) return std::nullopt;
  Dims begins = dims(entry.value("convDesc.lowerPadA"));
  Dims ends = dims(entry.value("convDesc.upperPadA"));
  if (begins.empty()) begins = ends = dims(entry.value("convDesc.padA"));
  Dims pads = begins;
  pads.insert(pads.end(), ends.begin(), ends.end());
  return Convolution{.input = input,
                     .filters = weights[0],
                     .window = {.kernel = spatial(weights),
                                .pads = pads,
                                .strides = dims(entry.value("convDesc.strideA")),
                                .dilations = dims(entry.value("convDesc.dilationA"))},
                     .groups = input[1] / weights[1]};
}

/// Empty if the extents of the output's gradient do not match the convolution.
std::string data_gradient_of(const Convolution& forward, const Dims& output) {
  try {
    const Deconvolution gradient = data_gradient(forward);
    return gradient.input == output ? key_of(gradient) : "";
  } catch (const std::exception&) {
    return "";
  }
}

/// `entry`: a call, or the operation of a graph. The epilogue counts for the forward pass only.
std::optional<LibraryCall> convolution(const Entry& entry, Pass pass, const Epilogue& epilogue) {
  const Tensor input =
      pass == Pass::data_gradient ? tensor(entry, {"dxDesc", "xDesc"}) : tensor(entry, {"xDesc"});
  const Tensor weights =
      pass == Pass::filter_gradient ? tensor(entry, {"dwDesc", "wDesc"}) : tensor(entry, {"wDesc"});
  const auto forward = convolution_of(entry, input.extents, weights.extents);
  if (!forward) return std::nullopt;
  std::string problem;
  if (pass == Pass::forward) problem = key_of(*forward, epilogue);
  if (pass == Pass::filter_gradient) problem = key_of(ConvolutionFilterGradient{*forward});
  if (pass == Pass::data_gradient) {
    problem = data_gradient_of(*forward, tensor(entry, {"dyDesc", "yDesc"}).extents);
  }
  return LibraryCall{.library = "cudnn",
                     .function = entry.function(),
                     .problem = problem,
                     .algorithm = classic_algorithm(entry.value("algo")),
                     .data = input.data,
                     .layout = input.layout};
}

/// Shape selects inference, training forward or training backward.
template <class Shape>
std::optional<LibraryCall> batch_normalization(const Entry& entry) {
  const Tensor input = tensor(entry, {"xDesc"});
  const std::string epsilon(entry.value("epsilon"));
  if (input.extents.empty() || epsilon.empty()) return std::nullopt;
  const Shape shape{.input = input.extents, .epsilon = std::strtof(epsilon.c_str(), nullptr)};
  return LibraryCall{.library = "cudnn",
                     .function = entry.function(),
                     .problem = key_of(shape),
                     .algorithm = "",
                     .data = input.data,
                     .layout = input.layout};
}

/// The operations of a graph: "MATMUL POINTWISE".
std::string operations(const std::vector<Entry>& graph) {
  std::string text;
  for (const Entry& operation : graph) {
    text += (text.empty() ? "" : " ") + std::string(operation_name(operation));
  }
  return text;
}

/// The call of an attention or its gradient; empty if the graph is none.
std::optional<LibraryCall> attention_call(const std::vector<Entry>& graph) {
  std::string problem;
  if (const auto forward = attention_of(graph)) problem = key_of(*forward);
  if (const auto gradient = attention_gradient_of(graph)) problem = key_of(*gradient);
  if (problem.empty()) return std::nullopt;
  return LibraryCall{.library = "cudnn",
                     .problem = problem,
                     .data = tensor(graph.front(), {"qDesc", "aDesc", "xDesc"}).data,
                     .layout = Layout::plain};
}

/// The call that runs a graph of one convolution and, after a forward one, elementwise operations,
/// or of an attention.
std::optional<LibraryCall> graph_call(const Entry& entry, const std::vector<Entry>& graph) {
  if (graph.empty()) return std::nullopt;
  const std::string_view name = operation_name(graph.front());
  const bool is_alone = graph.size() == 1;
  std::optional<LibraryCall> call;
  std::string prefix;
  if (name == "CONVOLUTION_FORWARD") {
    if (const auto found = epilogue_of(graph)) {
      call = convolution(graph.front(), Pass::forward, found->epilogue);
      if (found->residual_first) prefix = "residual.";
    }
  } else if (name == "CONVOLUTION_BACKWARD_DATA" && is_alone) {
    call = convolution(graph.front(), Pass::data_gradient, {});
  } else if (name == "CONVOLUTION_BACKWARD_FILTER" && is_alone) {
    call = convolution(graph.front(), Pass::filter_gradient, {});
  } else {
    call = attention_call(graph);
    if (name == "SDPA_FWD") prefix = "unified.";
  }
  if (!call) return std::nullopt;
  call->function = entry.function();
  const std::string algorithm = engine(entry);
  call->algorithm = algorithm.empty() ? "" : prefix + algorithm;
  return call;
}

/// True if a function does work on the device, rather than querying, describing or preparing it.
bool executes(std::string_view function) {
  if (prepares(function)) return false;
  for (const std::string_view word :
       {"Forward", "Backward", "Execute", "OpTensor", "AddTensor", "ReduceTensor",
        "TransformTensor", "TransformFilter", "ScaleTensor", "SetTensor", "CTCLoss", "Im2Col"}) {
    if (function.find(word) != function.npos) return true;
  }
  return false;
}

/// The call that adds a bias and, alpha2 times, a tensor, and applies a function.
std::optional<LibraryCall> fused_convolution(const Entry& entry) {
  Epilogue epilogue{.bias = true};
  const std::string added(entry.value("alpha2"));
  epilogue.residual = !added.empty() && std::strtod(added.c_str(), nullptr) != 0;
  const std::string_view mode =
      between(entry.value("activationDesc.mode"), "CUDNN_ACTIVATION_", " ");
  const auto function = [](ActivationKind kind) { return Activation{.input = {}, .kind = kind}; };
  if (mode == "RELU") {
    epilogue.activation = function(ActivationKind::relu);
  } else if (mode == "SIGMOID") {
    epilogue.activation = function(ActivationKind::sigmoid);
  } else if (mode == "TANH") {
    epilogue.activation = function(ActivationKind::tanh);
  } else if (!mode.empty() && mode != "IDENTITY") {
    return std::nullopt;
  }
  return convolution(entry, Pass::forward, epilogue);
}

std::optional<LibraryCall> call_with_problem(const Entry& entry) {
  const std::string& function = entry.function();
  if (function == "cudnnConvolutionForward") return convolution(entry, Pass::forward, {});
  if (function == "cudnnConvolutionBiasActivationForward") return fused_convolution(entry);
  if (function == "cudnnConvolutionBackwardData") {
    return convolution(entry, Pass::data_gradient, {});
  }
  if (function == "cudnnConvolutionBackwardFilter") {
    return convolution(entry, Pass::filter_gradient, {});
  }
  if (function == "cudnnBatchNormalizationForwardInference") {
    return batch_normalization<BatchNormalization>(entry);
  }
  if (function.starts_with("cudnnBatchNormalizationForwardTraining")) {
    return batch_normalization<BatchNormalizationTraining>(entry);
  }
  if (function.starts_with("cudnnBatchNormalizationBackward")) {
    return batch_normalization<BatchNormalizationGradient>(entry);
  }
  return std::nullopt;
}

SwitchedOn switch_cudnn_on(Environment& environment, const std::filesystem::path& folder) {
  SwitchedOn result;
  log_to(environment, folder / "cudnn_%i.log", "CUDNN_LOGDEST_DBG",
         {{"CUDNN_LOGLEVEL_DBG", "3"}, {"CUDNN_LOGINFO_DBG", "1"}}, result);
  return result;
}

/// With or without a problem; empty if the entry's function does no work on a device.
std::optional<LibraryCall> cudnn_call(std::string_view, std::string_view words) {
  const Entry entry = entry_of(words);
  // Entries of a graph's making hold its operations, too.
  const std::vector<Entry> graph =
      entry.function() == "cudnnBackendExecute" ? entry.parts("operation") : std::vector<Entry>();
  const auto call = graph.empty() ? call_with_problem(entry) : graph_call(entry, graph);
  if (call && !call->problem.empty()) return call;
  if (!executes(entry.function())) return std::nullopt;
  const Tensor input = tensor(graph.empty() ? entry : graph.front(), {"xDesc", "aDesc", "qDesc"});
  return LibraryCall{.library = "cudnn",
                     .function = entry.function(),
                     .detail = operations(graph),
                     .algorithm = engine(entry),
                     .data = input.data,
                     .layout = input.layout};
}

}  // namespace

Log cudnn_log() {
  return {.sources = {"cudnn"},
          .on_request = true,
          .switch_on = switch_cudnn_on,
          .call_of = cudnn_call,
          .problems_of = problems_of_key};
}

}  // namespace benanza::record
