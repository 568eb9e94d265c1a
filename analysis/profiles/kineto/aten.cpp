#include "analysis/profiles/kineto/aten.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>

#include "analysis/profiles/kineto/accounting.h"

namespace benanza::analysis::kineto {
namespace {

std::map<std::string_view, Entry> make_table() {
  std::map<std::string_view, Entry> table;
  for (const auto entries : {window_operators(), product_operators(), normalization_operators(),
                             other_operators(), gradient_operators()}) {
    for (const Entry& entry : entries) table.emplace(entry.name, entry);
  }
  return table;
}

const Entry* find(std::string_view name) {
  static const std::map<std::string_view, Entry> table = make_table();
  constexpr std::string_view space = "aten::";
  if (!name.starts_with(space)) return nullptr;
  name.remove_prefix(space.size());
  auto found = table.find(name);
  if (found == table.end() && name.ends_with('_')) {  // in place
    found = table.find(name.substr(0, name.size() - 1));
  }
  return found == table.end() ? nullptr : &found->second;
}

// Kernels of torch.compile: "triton_poi_fused__native_batch_norm_legit_no_training_relu_0".

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

bool is_known(const std::string& name) { return find(name) != nullptr; }

bool multiplies(std::string_view name) {
  constexpr std::string_view names[] = {
      "aten::mm",     "aten::bmm", "aten::matmul", "aten::addmm", "aten::_addmm_activation",
      "aten::baddbmm"};
  return std::ranges::find(names, name) != std::end(names);
}

std::vector<Part> parts_of(const Op& op) {
  const Entry* const entry = find(op.name);
  if (entry == nullptr) return {};
  const Call call(op);
  std::vector<Part> parts = entry->parts(call);
  account_for(call, *entry, parts);
  return parts;
}

std::vector<std::size_t> factors(const Op& op) {
  constexpr std::string_view products[] = {"Conv", "ConvTranspose", "MatMul", "LSTM", "GRU", "RNN"};
  const std::vector<Part> parts = parts_of(op);
  const bool multiplies = std::ranges::any_of(parts, [&](const Part& part) {
    return std::ranges::find(products, part.op) != std::end(products);
  });
  if (!multiplies) return {};
  const bool addend_first = op.name.find("addmm") != op.name.npos || op.name == "aten::baddbmm";
  if (addend_first) return {1, 2};
  return {0, 1};
}

const Argument* Call::at(std::size_t index) const {
  if (index >= op_.arguments.size()) return nullptr;
  read_[index] = true;
  return &op_.arguments[index];
}

const Dims& Call::dims(std::size_t index) const {
  static const Dims none;
  const Argument* found = at(index);
  return found ? found->dims : none;
}

const std::vector<Dims>& Call::list(std::size_t index) const {
  static const std::vector<Dims> none;
  const Argument* found = at(index);
  return found ? found->list : none;
}

std::string_view Call::type(std::size_t index) const {
  return index < op_.arguments.size() ? std::string_view(op_.arguments[index].type)
                                      : std::string_view();
}

std::optional<Dims> Call::integers(std::size_t index) const {
  const Argument* found = at(index);
  if (!found || found->value.empty()) return std::nullopt;
  std::string_view text = found->value;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Dims values;
  while (!text.empty()) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    while (text.starts_with(',') || text.starts_with(' ')) text.remove_prefix(1);
  }
  return values;
}

std::optional<std::int64_t> Call::integer(std::size_t index) const {
  const auto values = integers(index);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

std::optional<float> Call::real(std::size_t index) const {
  const Argument* found = at(index);
  if (!found || found->value.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(found->value.c_str(), &end);
  if (end == found->value.c_str() || *end != '\0') return std::nullopt;
  return static_cast<float>(value);
}

bool Call::truth(std::size_t index) const {
  const Argument* found = at(index);
  return found && (found->value == "True" || found->value == "true" || found->value == "1");
}

std::vector<bool> Call::truths(std::size_t index) const {
  std::vector<bool> list;
  const Argument found = argument(index);
  std::string_view text = found.value;
  if (!text.starts_with('[') || !text.ends_with(']')) return list;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    list.push_back(word == "True" || word == "true");
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return list;
}

Argument Call::argument(std::size_t index) const {
  const Argument* const found = at(index);
  return found == nullptr ? Argument() : *found;
}

Argument Call::peek(std::size_t index) const {
  return index < op_.arguments.size() ? op_.arguments[index] : Argument();
}

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
