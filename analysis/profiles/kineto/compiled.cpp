// Kernels of torch.compile: "triton_poi_fused__native_batch_norm_legit_no_training_relu_0".

#include <algorithm>
#include <string>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

/// The compiler lists each operator once and alphabetically, however often and in whatever order
/// the kernel computes it; `rank` restores the usual order in models.
struct Token {
  std::string_view name;
  std::string_view op;
  int rank = 0;
};

constexpr Token tokens[] = {
    {"_native_batch_norm_legit_no_training", "BatchNormalization", 1},
    {"max_pool2d_with_indices", "MaxPool", 4},
    {"native_layer_norm", "LayerNormalization", 4},
    {"avg_pool2d", "AveragePool", 4},
    {"embedding", "Gather", 0},
    {"hardswish", "HardSwish", 3},
    {"hardtanh", "Clip", 3},
    {"_softmax", "Softmax", 4},
    {"sigmoid", "Sigmoid", 3},
    {"gelu", "Gelu", 3},
    {"mean", "ReduceMean", 5},
    {"relu", "Relu", 3},
    {"silu", "Swish", 3},
    {"tanh", "Tanh", 3},
    {"add", "Add", 2},
    {"cat", "Concat", 5},
    {"mul", "Mul", 2},
};

/// The ONNX operators that exporters may write for a PyTorch operator. Longer names come before
/// their prefixes.
struct Steps {
  std::string_view name;
  std::vector<std::string_view> ops;
};

const std::vector<Steps>& steps() {
  static const std::vector<Steps> table{
      {"_native_batch_norm_legit_no_training",
       {"BatchNormalization", "Sub", "Add", "Sqrt", "Div", "Mul"}},
      {"native_layer_norm",
       {"LayerNormalization", "ReduceMean", "Sub", "Pow", "Add", "Sqrt", "Div", "Mul"}},
      {"native_group_norm",
       {"GroupNormalization", "InstanceNormalization", "ReduceMean", "Sub", "Pow", "Add", "Sqrt",
        "Div", "Mul"}},
      {"max_pool2d_with_indices", {"MaxPool"}},
      {"_adaptive_avg_pool2d", {"GlobalAveragePool", "AveragePool", "ReduceMean"}},
      {"adaptive_avg_pool2d", {"GlobalAveragePool", "AveragePool", "ReduceMean"}},
      {"avg_pool2d", {"AveragePool", "GlobalAveragePool"}},
      {"_log_softmax", {"LogSoftmax"}},
      {"_softmax", {"Softmax", "ReduceMax", "Sub", "Exp", "ReduceSum", "Div"}},
      {"_safe_softmax",
       {"Softmax", "ReduceMax", "Sub", "Exp", "ReduceSum", "Div", "IsNaN", "Where"}},
      {"prepare_softmax_online", {"Softmax", "ReduceMax", "Sub", "Exp", "ReduceSum", "Div"}},
      {"hardswish", {"HardSwish", "HardSigmoid", "Add", "Clip", "Mul", "Div"}},
      {"hardsigmoid", {"HardSigmoid", "Add", "Clip", "Div"}},
      {"leaky_relu", {"LeakyRelu"}},
      {"hardtanh", {"Clip"}},
      {"clamp_min", {"Relu", "Max", "Clip"}},
      {"clamp", {"Clip"}},
      {"gelu", {"Gelu", "Div", "Erf", "Tanh", "Pow", "Add", "Mul"}},
      {"silu", {"Swish", "Sigmoid", "Mul"}},
      {"mish", {"Mish", "Softplus", "Tanh", "Mul"}},
      {"softplus", {"Softplus"}},
      {"sigmoid", {"Sigmoid"}},
      {"relu", {"Relu"}},
      {"tanh", {"Tanh"}},
      {"elu", {"Elu"}},
      {"erf", {"Erf"}},
      {"exp", {"Exp"}},
      {"rsqrt", {"Sqrt", "Div", "Reciprocal"}},
      {"sqrt", {"Sqrt"}},
      {"reciprocal", {"Reciprocal", "Div"}},
      {"pow", {"Pow", "Mul"}},
      {"mean", {"ReduceMean", "GlobalAveragePool"}},
      {"sum", {"ReduceSum"}},
      {"amax", {"ReduceMax"}},
      {"add", {"Add", "Sum"}},
      {"sub", {"Sub"}},
      {"mul", {"Mul"}},
      {"div", {"Div", "Mul"}},
      {"neg", {"Neg"}},
      {"cos", {"Cos"}},
      {"sin", {"Sin"}},
      {"where", {"Where"}},
      {"masked_fill", {"Where"}},
      {"embedding", {"Gather"}},
      {"cat", {"Concat"}},
      {"clone", {"Transpose"}},
      {"expand", {"Expand"}},
      {"slice", {"Slice"}},
      {"convolution", {"Add", added_bias}},
      {"addmm", {"Add", added_bias}},
  };
  return table;
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// Returns the part between "triton_poi_fused_" and the number; empty for other names.
std::string_view names_in(std::string_view name) {
  constexpr std::string_view mark = "_fused_";
  const auto at = name.find(mark);
  if (!name.starts_with("triton_") || at == std::string_view::npos) return {};
  name.remove_prefix(at + mark.size());
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

/// Calls `use` with each entry of `table` whose name is among the words of a kernel's name, in
/// their order.
template <class Table, class Use>
void for_each_known(std::string_view kernel, const Table& table, const Use& use) {
  std::string_view name = names_in(kernel);
  while (!name.empty()) {
    const auto found = std::ranges::find_if(table, [&](const auto& one) {
      return name.starts_with(one.name) &&
             (name.size() == one.name.size() || name[one.name.size()] == '_');
    });
    if (found != std::end(table)) {
      use(*found);
      name.remove_prefix(found->name.size());
      if (!name.empty()) name.remove_prefix(1);
    } else {  // not an operator of models
      const auto next = name.find('_', 1);
      name.remove_prefix(next == std::string_view::npos ? name.size() : next + 1);
    }
  }
}

}  // namespace

std::set<std::string_view> ops_of_compiled(std::string_view name) {
  std::set<std::string_view> ops;
  for_each_known(name, steps(),
                 [&](const Steps& one) { ops.insert(one.ops.begin(), one.ops.end()); });
  return ops;
}

std::vector<Part> parts_of_compiled(std::string_view name) {
  std::vector<Token> found;
  for_each_known(name, tokens, [&](const Token& token) { found.push_back(token); });
  std::ranges::stable_sort(found, [](const Token& a, const Token& b) { return a.rank < b.rank; });
  std::vector<Part> parts;
  for (const Token& token : found) {
    parts.push_back({.op = std::string(token.op), .problem = "", .output = {}});
  }
  return parts;
}

}  // namespace benanza::analysis::kineto
