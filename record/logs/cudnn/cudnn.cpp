// cuDNN's log: CUDNN_LOGLEVEL_DBG, CUDNN_LOGINFO_DBG. An entry of many lines for a call.
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "core/base/text.h"
#include "core/problem/problem.h"
#include "record/logs/cudnn/attention.h"
#include "record/logs/cudnn/graph.h"
#include "record/logs/cudnn/tensor.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::record {
namespace {

using text::between;
using text::integer;
using text::lower_case;

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

/// The first of these factors, of a call rather than of a graph's operation, that is not `usual`:
/// "alpha 0.5".
std::string unusual_factor(const Entry& entry, std::initializer_list<std::string_view> names,
                           double usual) {
  for (const std::string_view name : names) {
    const std::string value(entry.value(name));
    if (value.empty() || std::strtod(value.c_str(), nullptr) == usual) continue;
    return std::string(name) + ' ' + value;
  }
  return "";
}

bool is_of_graph(const Entry& entry) { return entry.function().starts_with("CUDNN_BACKEND"); }

/// A call without a problem, and why.
LibraryCall without_problem(const Entry& entry, const std::string& unsaid,
                            const std::string& problem, const Tensor& input) {
  return {.library = "cudnn",
          .function = entry.function(),
          .detail = unsaid + (problem.empty() ? "" : ", ") + problem,
          .data = input.data,
          .layout = input.layout};
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
std::string data_gradient_of(const Convolution& forward, const Dims& output,
                             const Epilogue& epilogue) {
  try {
    const Deconvolution gradient = data_gradient(forward);
    return gradient.input == output ? key_of(gradient, epilogue) : "";
  } catch (const std::exception&) {
    return "";
  }
}

/// The tensors of a pass: two operands and a result.
struct PassTensors {
  Tensor input{};
  Tensor weights{};
  Tensor output{};
  std::vector<Tensor> operands{};
  Tensor result{};
};
PassTensors tensors_of(const Entry& entry, Pass pass) {
  PassTensors of{.input = tensor(entry, {"xDesc"}),
                 .weights = tensor(entry, {"wDesc"}),
                 .output = tensor(entry, {"dyDesc", "yDesc"})};
  if (pass == Pass::forward) {
    of.output = tensor(entry, {"yDesc"});
    of.operands = {of.input, of.weights};
    of.result = of.output;
  } else if (pass == Pass::data_gradient) {
    of.input = tensor(entry, {"dxDesc", "xDesc"});
    of.operands = {of.output, of.weights};
    of.result = of.input;
  } else {
    of.weights = tensor(entry, {"dwDesc", "wDesc"});
    of.operands = {of.input, of.output};
    of.result = of.weights;
  }
  return of;
}

/// What a call's fields say and no problem does. The direction of the filters is the same work.
std::string unsaid_of_convolution(const Entry& entry, const PassTensors& of) {
  if (std::string types = unsaid_types(of.operands); !types.empty()) return types;
  const bool is_of_bytes = of.input.data == Precision::int8;
  std::string_view compute = type_name(entry.value("convDesc.dataType"));
  if (compute.empty()) compute = type_name(entry.value("convDesc.mathPrec"));
  if (!compute.empty() && compute != "FLOAT" && !(is_of_bytes && compute == "INT32")) {
    return "compute type " + std::string(compute);
  }
  const std::string_view math = entry.value("convDesc.mathType");
  if (of.input.data == Precision::fp32 && math.find("ALLOW_CONVERSION") != math.npos) {
    return "mathType " + std::string(math.substr(0, math.find(' ')));
  }
  return is_of_graph(entry) ? "" : unusual_factor(entry, {"alpha", "alpha1"}, 1);
}

/// Tells what the problem passes over. A graph need not store its convolution's result.
std::string remarks_of(const Entry& entry, const PassTensors& of) {
  std::string remarks;
  const Tensor& operand = of.operands.front();
  const Tensor& result = of.result;
  const bool is_told = !is_of_graph(entry) && !result.type.empty() && !operand.type.empty();
  const bool are_bytes = operand.data == Precision::int8 && result.data == Precision::int8;
  if (is_told && !are_bytes && result.type != operand.type) remark_result(result.type, remarks);
  if (of.input.has_gaps() || of.weights.has_gaps() || of.output.has_gaps()) remark_gaps(remarks);
  return remarks;
}

/// `entry`: a call, or the operation of a graph. The epilogue does not count for the gradient of
/// filters.
std::optional<LibraryCall> convolution(const Entry& entry, Pass pass, Epilogue epilogue) {
  const PassTensors of = tensors_of(entry, pass);
  auto forward = convolution_of(entry, of.input.extents, of.weights.extents);
  if (!forward) return std::nullopt;
  forward->unsigned_data = pass == Pass::forward && of.input.type == "UINT8";
  std::string unsaid = unsaid_of_convolution(entry, of);
  if (!is_of_graph(entry)) {
    const std::string factor = unusual_factor(entry, {"beta"}, 0);
    const bool is_added = unusual_factor(entry, {"beta"}, 1).empty() && !factor.empty();
    epilogue.residual = epilogue.residual || is_added;
    const bool is_said = factor.empty() || (is_added && pass != Pass::filter_gradient);
    if (!is_said && unsaid.empty()) unsaid = factor;
  }
  std::string problem;
  if (pass == Pass::forward) problem = key_of(*forward, epilogue);
  if (pass == Pass::filter_gradient) problem = key_of(ConvolutionFilterGradient{*forward});
  if (pass == Pass::data_gradient) {
    problem = data_gradient_of(*forward, of.output.extents, epilogue);
  }
  if (!unsaid.empty()) return without_problem(entry, unsaid, problem, of.input);
  return LibraryCall{.library = "cudnn",
                     .function = entry.function(),
                     .problem = problem,
                     .algorithm = classic_algorithm(entry.value("algo")),
                     .data = of.input.data,
                     .layout = of.input.layout,
                     .remarks = remarks_of(entry, of)};
}

/// What of a batch normalization no problem says: fused steps, statistics of each element, factors.
std::string unsaid_of_normalization(const Entry& entry, const std::vector<Tensor>& tensors) {
  const std::string_view steps = between(entry.value("bnOps"), "CUDNN_BATCHNORM_OPS_", " ");
  if (!steps.empty() && steps != "BN") return "bnOps " + std::string(steps);
  const std::string_view mode = between(entry.value("mode"), "CUDNN_BATCHNORM_", " ");
  if (!mode.empty() && !mode.starts_with("SPATIAL")) return "mode " + std::string(mode);
  if (std::string types = unsaid_types(tensors); !types.empty()) return types;
  const std::string alpha = unusual_factor(entry, {"alpha", "alphaDataDiff", "alphaParamDiff"}, 1);
  return alpha.empty() ? unusual_factor(entry, {"beta", "betaDataDiff", "betaParamDiff"}, 0)
                       : alpha;
}

/// Shape selects inference, training forward or training backward.
template <class Shape>
std::optional<LibraryCall> batch_normalization(const Entry& entry) {
  const Tensor input = tensor(entry, {"xDesc"});
  const std::string epsilon(entry.value("epsilon"));
  if (input.extents.empty() || epsilon.empty()) return std::nullopt;
  const Shape shape{.input = input.extents, .epsilon = std::strtof(epsilon.c_str(), nullptr)};
  std::vector<Tensor> tensors{input};
  for (const std::string_view name : {"yDesc", "dyDesc", "dxDesc"}) {
    tensors.push_back(tensor(entry, {name}));
  }
  const std::string unsaid = unsaid_of_normalization(entry, tensors);
  if (!unsaid.empty()) return without_problem(entry, unsaid, key_of(shape), input);
  LibraryCall call{.library = "cudnn",
                   .function = entry.function(),
                   .problem = key_of(shape),
                   .algorithm = "",
                   .data = input.data,
                   .layout = input.layout};
  if (std::ranges::any_of(tensors, &Tensor::has_gaps)) remark_gaps(call.remarks);
  return call;
}

/// The operations of a graph: "MATMUL POINTWISE(ERF)".
std::string operations(const std::vector<Entry>& graph) {
  std::string text;
  for (const Entry& operation : graph) {
    text += (text.empty() ? "" : " ") + std::string(operation_name(operation));
    const std::string_view mode = between(operation.value("pwDesc.mode"), "CUDNN_POINTWISE_", " ");
    if (!mode.empty()) text += '(' + std::string(mode) + ')';
  }
  return text;
}

/// The call of an attention or its gradient; empty if the graph is none.
std::optional<LibraryCall> attention_call(const std::vector<Entry>& graph) {
  std::string problem;
  if (const auto forward = attention_of(graph)) problem = key_of(*forward);
  if (const auto gradient = attention_gradient_of(graph)) problem = key_of(*gradient);
  if (problem.empty()) return std::nullopt;
  const Tensor first = tensor(graph.front(), {"qDesc", "aDesc", "xDesc"});
  const std::string unsaid = unsaid_types({first});
  if (!unsaid.empty()) return without_problem(graph.front(), unsaid, problem, first);
  return LibraryCall{
      .library = "cudnn", .problem = problem, .data = first.data, .layout = Layout::plain};
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
  const std::string factor = unusual_factor(entry, {"alpha2"}, 0);
  epilogue.residual = !factor.empty();
  std::string unsaid;
  if (epilogue.residual) unsaid = unusual_factor(entry, {"alpha2"}, 1);
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
    unsaid = "activation " + std::string(mode);
  }
  auto call = convolution(entry, Pass::forward, epilogue);
  if (!call || unsaid.empty() || call->problem.empty()) return call;
  return without_problem(entry, unsaid, call->problem, tensor(entry, {"xDesc"}));
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
  if (call && (!call->problem.empty() || !call->detail.empty())) return call;
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
