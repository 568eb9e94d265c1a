// Calls that work element by element, by rows or by channels, and calls that only move data.
#include <algorithm>
#include <utility>

#include "record/logs/onednn/problems.h"

namespace benanza::record::onednn {
namespace {

/// Not in the log; the default of the frameworks.
constexpr float usual_epsilon = 1e-5F;

Dims channels_first(const CallFields& call) {
  const auto numbers = call.numbers_of_problem();
  Dims dims;
  for (const std::string name : {"mb", "ic", "id", "ih", "iw"}) {
    const auto found = numbers.find(name);
    if (found != numbers.end()) dims.push_back(static_cast<std::int64_t>(found->second));
  }
  if (dims.size() < 2) throw std::invalid_argument("\"" + call.text.problem + "\" has no channels");
  return dims;
}

/// Prepends ones so that both have the same rank.
void align(Dims& a, Dims& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
}

bool has_flag(const CallFields& call, std::string_view flags) {
  return call.auxiliary("flags").value_or("").find_first_of(flags) != std::string::npos;
}

Problems binary(BinaryKind kind, const CallFields& call) {
  std::vector<Dims> dims = call.tensors_of_problem();
  if (dims.size() < 2) throw std::invalid_argument("\"" + call.text.problem + "\" is one tensor");
  align(dims[0], dims[1]);
  return {with_post_operations({Binary{.kind = kind, .a = dims[0], .b = dims[1]}, {}}, call)};
}

}  // namespace

Problems eltwise_problems(const CallFields& call) {
  const std::string algorithm = call.auxiliary("alg").value_or("");
  const auto parameter = [&](std::string_view name) {
    return static_cast<float>(call.number(name).value_or(0));
  };
  auto function = activation(algorithm, parameter("alpha"), parameter("beta"));
  if (!function) throw Unsaid(algorithm);
  function->input = call.tensors_of_problem().front();
  if (!call.is_backward()) return {with_post_operations({*function, {}}, call)};
  if (!has_gradient(function->kind)) throw Unsaid("the gradient of " + algorithm);
  return {{ActivationGradient{*function}, {}}};
}

Problems binary_problems(const CallFields& call) {
  constexpr std::pair<std::string_view, BinaryKind> kinds[] = {
      {"binary_add", BinaryKind::add}, {"binary_sub", BinaryKind::sub},
      {"binary_mul", BinaryKind::mul}, {"binary_div", BinaryKind::div},
      {"binary_max", BinaryKind::max}, {"binary_min", BinaryKind::min},
      {"binary_eq", BinaryKind::eq},   {"binary_ne", BinaryKind::ne},
      {"binary_lt", BinaryKind::lt},   {"binary_le", BinaryKind::le},
      {"binary_gt", BinaryKind::gt},   {"binary_ge", BinaryKind::ge}};
  const std::string algorithm = call.auxiliary("alg").value_or("");
  for (const auto& [name, kind] : kinds) {
    if (algorithm == name) return binary(kind, call);
  }
  throw Unsaid(algorithm);
}

Problems prelu_problems(const CallFields& call) {
  if (call.is_backward()) throw Unsaid("the gradient of a prelu");
  Problems problems = binary(BinaryKind::prelu, call);
  std::get<Binary>(problems.front().shape).constant_b = true;
  return problems;
}

Problems sum_problems(const CallFields& call) {
  const auto sources = std::ranges::count_if(
      call.tensors, [](const TensorText& tensor) { return tensor.name.starts_with("src"); });
  if (sources != 2) throw Unsaid("a sum of " + std::to_string(sources) + " tensors");
  const Dims dims = call.tensors_of_problem().front();
  return {{Binary{.kind = BinaryKind::add, .a = dims, .b = dims}, {}}};
}

Problems softmax_problems(const CallFields& call) {
  const auto axis = call.number("axis");
  if (!axis) throw std::invalid_argument("\"axis\" is missing");
  const std::string algorithm = call.auxiliary("alg").value_or("");
  if (algorithm != "" && algorithm != "softmax_accurate" && algorithm != "softmax_log") {
    throw Unsaid(algorithm);
  }
  const bool logarithm = call.text.kind.starts_with("logsoftmax") || algorithm == "softmax_log";
  const Softmax forward{.input = call.tensors_of_problem().front(),
                        .axis = static_cast<std::int64_t>(*axis),
                        .logarithm = logarithm};
  if (call.is_backward()) return {{SoftmaxGradient{forward}, {}}};
  return {with_post_operations({forward, {}}, call)};
}

Problems batch_normalization_problems(const CallFields& call) {
  const Dims dims = channels_first(call);
  const bool given_statistics = has_flag(call, "G");
  const bool relu = has_flag(call, "R");
  if (has_flag(call, "A")) throw Unsaid("with an addition and relu in it");
  if (call.is_backward()) {
    if (given_statistics) throw Unsaid("the gradient with statistics that are given");
    if (relu) throw Unsaid("the gradient with relu in it");
    return {{BatchNormalizationGradient{dims, usual_epsilon}, {}}};
  }
  if (!given_statistics) {
    if (relu) throw Unsaid("in training, with relu in it");
    return {{BatchNormalizationTraining{dims, usual_epsilon}, {}}};
  }
  Problem problem{BatchNormalization{dims, usual_epsilon}, {}};
  if (relu) problem = with_step(std::move(problem), Activation{.input = {}});
  return {with_post_operations(std::move(problem), call)};
}

Problems layer_normalization_problems(const CallFields& call) {
  const Dims dims = call.tensors_of_problem().front();
  if (has_flag(call, "G")) throw Unsaid("with statistics that are given");
  // S: scale and shift in one tensor, in version 2.
  const LayerNormalization forward{.rows = element_count({dims.begin(), dims.end() - 1}),
                                   .length = dims.back(),
                                   .epsilon = usual_epsilon,
                                   .scale = has_flag(call, "CS"),
                                   .bias = has_flag(call, "HS"),
                                   .root_mean_square = has_flag(call, "M")};
  if (call.is_backward()) return {{LayerNormalizationGradient{forward}, {}}};
  // Its problem has two axes; masks of what is added are of the tensor's.
  if (dims.size() != 2 && call.text.attributes.find("binary_") != std::string::npos) {
    throw Unsaid("a tensor added to rows of several axes");
  }
  return {with_post_operations({forward, {}}, call)};
}

Problems lrn_problems(const CallFields& call) {
  if (call.is_backward()) throw Unsaid("the gradient of a local response normalization");
  if (call.auxiliary("alg").value_or("") != "lrn_across_channels") throw Unsaid("within a channel");
  const auto numbers = call.numbers_of_problem();
  const auto size = numbers.find("ls");
  const auto beta = numbers.find("beta");
  if (size == numbers.end()) throw std::invalid_argument("\"ls\" is missing");
  return {{Lrn{.input = channels_first(call),
               .size = static_cast<std::int64_t>(size->second),
               .beta = beta == numbers.end() ? 0.75F : static_cast<float>(beta->second)},
           {}}};
}

Problems reduction_problems(const CallFields& call) {
  constexpr std::pair<std::string_view, ReductionKind> kinds[] = {
      {"reduction_mean", ReductionKind::mean},
      {"reduction_sum", ReductionKind::sum},
      {"reduction_max", ReductionKind::max},
      {"reduction_min", ReductionKind::min},
      {"reduction_mul", ReductionKind::product}};
  const std::string algorithm = call.auxiliary("alg").value_or("");
  const std::vector<Dims> dims = call.tensors_of_problem();
  if (dims.size() != 2 || dims[0].size() != dims[1].size()) {
    throw std::invalid_argument("\"" + call.text.problem + "\" is no reduction");
  }
  Reduction reduction{.input = dims[0], .axes = {}};
  const auto known = std::find_if(std::begin(kinds), std::end(kinds),
                                  [&](const auto& kind) { return kind.first == algorithm; });
  const double power = call.number("p").value_or(0);
  if (call.number("eps").value_or(0) != 0) throw Unsaid("a reduction with an epsilon");
  if (known != std::end(kinds)) {
    reduction.kind = known->second;
  } else if (algorithm == "reduction_norm_lp_sum" && (power == 1 || power == 2)) {
    reduction.kind = power == 1 ? ReductionKind::l1 : ReductionKind::l2;
  } else if (algorithm == "reduction_norm_lp_power_p_sum" && (power == 1 || power == 2)) {
    reduction.kind = power == 1 ? ReductionKind::l1 : ReductionKind::sum_square;
  } else {
    throw Unsaid(algorithm);
  }
  for (std::size_t axis = 0; axis < dims[0].size(); ++axis) {
    if (dims[1][axis] != dims[0][axis]) reduction.axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (reduction.axes.empty()) throw Unsaid("a reduction of no axis");
  return {with_post_operations({reduction, {}}, call)};
}

Problems reorder_problems(const CallFields& call) {
  const TensorText* from = call.tensor({"src"});
  const TensorText* to = call.tensor({"dst"});
  if (from == nullptr || to == nullptr) throw std::invalid_argument("no source and destination");
  if (call.text.attributes.find("attr-post-ops:") != std::string::npos) {
    throw Unsaid("a conversion with a post-operation");
  }
  if (from->type == to->type && call.text.attributes.find("scale") != std::string::npos) {
    throw Unsaid("a copy with a scale");
  }
  const Dims dims = call.tensors_of_problem().front();
  for (const TensorText* tensor : {from, to}) {
    if (tensor->format != "blocked") throw Unsaid("format " + tensor->format);
    if (tensor->flags != "f0" && !tensor->flags.empty()) {
      throw Unsaid("with the compensation of 8-bit products");
    }
  }
  if (from->type == to->type) {
    const auto copy = movement(dims, *from, *to);
    if (!copy) throw Unsaid("from " + from->tag + " to " + to->tag + ", with padding");
    return {{copy->canonical(), {}}};
  }
  const auto is_integer = [](const TensorText* tensor) {
    return tensor->type == "s8" || tensor->type == "u8";
  };
  const bool same_order = from->tag == to->tag && !call.is_strided();
  if (same_order && is_integer(to) != is_integer(from)) {
    return {{Quantization{
                 .kind = is_integer(to) ? QuantizationKind::quantize : QuantizationKind::dequantize,
                 .input = dims},
             {}}};
  }
  throw Unsaid("conversion from " + from->type + ' ' + from->tag + " to " + to->type + ' ' +
               to->tag);
}

Problems concat_problems(const CallFields& call) {
  const auto axis = call.number("axis");
  if (!axis) throw std::invalid_argument("\"axis\" is missing");
  Concat shape{.parts = call.tensors_of_problem(), .axis = static_cast<std::int64_t>(*axis)};
  // Some versions also name the result.
  const auto sources = static_cast<std::size_t>(std::ranges::count_if(
      call.tensors, [](const TensorText& tensor) { return tensor.name.starts_with("src"); }));
  if (shape.parts.size() > sources) shape.parts.resize(sources);
  for (const TensorText& tensor : call.tensors) {
    if (tensor.type != call.type() && tensor.type != "undef") {
      throw std::invalid_argument("tensors of " + std::string(call.type()) + " and " + tensor.type);
    }
  }
  if (call.text.attributes.find("attr-scales:") != std::string::npos) {
    throw std::invalid_argument("a concatenation with scales");
  }
  return {{shape, {}}};
}

}  // namespace benanza::record::onednn
