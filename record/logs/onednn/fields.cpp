#include "record/logs/onednn/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "core/base/text.h"

namespace benanza::record::onednn {
namespace {

constexpr std::array<std::string_view, 16> types{
    "f8_e5m2", "f8_e4m3", "f4_e2m1", "f4_e3m0", "undef", "boolean", "bf16", "e8m0",
    "f32",     "f16",     "f64",     "s32",     "s8",    "u8",      "s4",   "u4"};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list = text::split<std::string>(text, ' ');
  std::erase(list, "");
  return list;
}

Dims extents(std::string_view text) {
  Dims dims;
  for (const std::string_view part : text::split(text, 'x')) {
    const auto value = text::number<std::int64_t>(part);
    if (!value || *value < 1) {
      throw std::invalid_argument("\"" + std::string(text) + "\" are no extents");
    }
    dims.push_back(*value);
  }
  return dims;
}

TensorText read_tensor(std::string_view text) {
  std::vector<std::string> parts = text::split<std::string>(text, ':');
  TensorText tensor;
  for (const std::string_view type : types) {
    const std::string ending = '_' + std::string(type);
    if (!parts[0].ends_with(ending)) continue;
    tensor.type = type;
    tensor.name = parts[0].substr(0, parts[0].size() - ending.size());
    break;
  }
  if (tensor.type.empty()) {
    tensor.name = parts[0];
    parts.erase(parts.begin());
    tensor.type = parts.empty() ? "undef" : parts[0];
  }
  // The parts are now: type or name, properties, format, tag, strides (not in 2.x), flags.
  const auto part = [&](std::size_t at) { return at < parts.size() ? parts[at] : std::string(); };
  tensor.format = part(2);
  tensor.tag = part(3);
  tensor.flags = parts.size() > 5 ? part(5) : part(4);
  if (parts.size() > 5 && !part(4).empty()) tensor.strides = extents(part(4));
  return tensor;
}

}  // namespace

std::vector<TensorText> read_tensors(std::string_view memory) {
  std::vector<TensorText> tensors;
  for (const std::string& word : words(memory)) tensors.push_back(read_tensor(word));
  return tensors;
}

CallFields::CallFields(const CallText& call) : text(call), tensors(read_tensors(call.memory)) {}

const TensorText* CallFields::tensor(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    for (const TensorText& tensor : tensors) {
      if (tensor.name == name && tensor.type != "undef") return &tensor;
    }
  }
  return nullptr;
}

std::string CallFields::unread_auxiliary() const {
  for (const std::string& word : words(text.auxiliary)) {
    const std::string_view name = std::string_view(word).substr(0, word.find(':'));
    if (!read_.contains(name)) return word;
  }
  return "";
}

std::optional<std::string> CallFields::auxiliary(std::string_view name) const {
  read_.emplace(name);
  for (const std::string& word : words(text.auxiliary)) {
    const std::size_t colon = word.find(':');
    if (colon != std::string::npos && std::string_view(word).substr(0, colon) == name) {
      return word.substr(colon + 1);
    }
  }
  return std::nullopt;
}

std::optional<double> CallFields::number(std::string_view name) const {
  const auto value = auxiliary(name);
  return value ? text::number<double>(*value) : std::nullopt;
}

std::vector<Dims> CallFields::tensors_of_problem() const {
  std::vector<Dims> list;
  // Later versions append names of tensors to the extents.
  const std::string_view all = text.problem;
  for (const std::string_view part : text::split(all.substr(0, all.find(' ')), ':')) {
    list.push_back(extents(part));
  }
  return list;
}

std::map<std::string, double> CallFields::numbers_of_problem() const {
  std::map<std::string, double> numbers;
  std::string_view rest = text.problem;
  while (!rest.empty()) {
    if (rest.front() == '_') {
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t letters = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    double value = 0;
    if (letters != 0 && letters != std::string_view::npos) {
      const char* begin = rest.data() + letters;
      const auto [stop, error] =
          std::from_chars(begin, rest.data() + rest.size(), value, std::chars_format::general);
      if (error == std::errc{} && stop != begin) {
        numbers[std::string(rest.substr(0, letters))] = value;
        rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
        continue;
      }
    }
    throw std::invalid_argument("\"" + text.problem + "\" is not understood");
  }
  return numbers;
}

std::string_view CallFields::type() const {
  for (const TensorText& tensor : tensors) {
    if (tensor.type != "undef") return tensor.type;
  }
  return "";
}

std::optional<Precision> precision_of(std::string_view type) {
  if (type == "f32") return Precision::fp32;
  if (type == "bf16") return Precision::bf16;
  if (type == "f16") return Precision::fp16;
  if (type == "s8" || type == "u8") return Precision::int8;
  if (type.starts_with("f8")) return Precision::fp8;
  return std::nullopt;
}

std::optional<Precision> CallFields::precision() const { return precision_of(type()); }

bool CallFields::is_strided() const {
  return std::ranges::any_of(tensors,
                             [](const TensorText& tensor) { return !tensor.strides.empty(); });
}

namespace {

bool is_integer(std::string_view type) {
  return type == "s8" || type == "u8" || type == "s4" || type == "u4" || type == "s32";
}

/// Whether a product or an elementwise call of such tensors is one of `first`'s precision.
bool goes_with(std::string_view first, std::string_view other) {
  if (first == other) return true;
  const auto is_byte = [](std::string_view type) { return type == "s8" || type == "u8"; };
  return (is_byte(first) && is_byte(other)) || (first.starts_with("f8") && other.starts_with("f8"));
}

/// Read by the call, and of its precision: not biases, statistics and the like.
bool is_operand(const TensorText& tensor) {
  for (const std::string_view name : {"src", "wei", "diff_dst"}) {
    if (!tensor.name.starts_with(name)) continue;
    // src_1 and src1, but not src_iter, src_layer and src_scales of other types.
    const std::string_view rest = std::string_view(tensor.name).substr(name.size());
    return rest.find_first_not_of("_:0123456789") == std::string_view::npos;
  }
  return false;
}

/// Attributes that change neither the arithmetic nor the result, or that others look at.
bool is_accounted(std::string_view attribute, bool is_of_bytes) {
  for (const std::string_view known :
       {"attr-scratchpad:", "attr-post-ops:", "attr-deterministic:", "attr-fpmath:strict",
        "attr-acc-mode:strict", "attr-acc:strict", "attr-rounding-mode:environment"}) {
    if (attribute.starts_with(known)) return true;
  }
  if (!is_of_bytes) return false;
  // Zero points of weights, and scales of groups, such as 32x1.
  if (attribute.starts_with("attr-zero-points:") && attribute.find("wei") != attribute.npos) {
    return false;
  }
  if (attribute.starts_with("attr-scales:") && attribute.find('x') != attribute.npos) return false;
  for (const std::string_view known : {"attr-oscale:", "attr-scales:", "attr-zero-points:",
                                       "attr-rnn-data-qparams:", "attr-rnn-weights-qparams:"}) {
    if (attribute.starts_with(known)) return true;
  }
  return false;
}

}  // namespace

bool CallFields::has_other_result() const {
  const std::string_view operands = type();
  return std::ranges::any_of(tensors, [&](const TensorText& tensor) {
    return tensor.name == "dst" && tensor.type != "undef" && !goes_with(operands, tensor.type);
  });
}

std::string unsaid_of(const CallFields& call) {
  const std::string_view type = call.type();
  if (call.text.engine != "cpu") return "on engine " + call.text.engine;
  bool is_of_bytes = false;
  for (const TensorText& tensor : call.tensors) {
    is_of_bytes = is_of_bytes || is_integer(tensor.type);
    if (tensor.format.starts_with("sparse")) return "a sparse tensor " + tensor.name;
    if (tensor.type == "f8_e5m2" || (tensor.name == "wei" && tensor.type == "u8") ||
        tensor.name.find("peephole") != tensor.name.npos ||
        tensor.name.find("proj") != tensor.name.npos) {
      return tensor.name + " of " + tensor.type;
    }
    if (is_operand(tensor) && tensor.type != "undef" && !goes_with(type, tensor.type)) {
      return tensor.name + " of " + tensor.type + " beside one of " + std::string(type);
    }
  }
  for (const std::string& attribute : words(call.text.attributes)) {
    if (!is_accounted(attribute, is_of_bytes)) return attribute;
  }
  return "";
}

std::vector<PostOperation> read_post_operations(std::string_view attributes) {
  std::vector<PostOperation> list;
  constexpr std::string_view name = "attr-post-ops:";
  for (const std::string& word : words(attributes)) {
    if (!word.starts_with(name)) continue;
    for (const std::string_view step :
         text::split(std::string_view(word).substr(name.size()), '+')) {
      std::vector<std::string> values = text::split<std::string>(step, ':');
      PostOperation operation{.kind = values.front()};
      operation.values.assign(values.begin() + 1, values.end());
      if (!operation.kind.empty()) list.push_back(std::move(operation));
    }
  }
  return list;
}

std::optional<Activation> activation(std::string_view algorithm, float alpha, float beta) {
  using enum ActivationKind;
  constexpr std::string_view prefix = "eltwise_";
  constexpr std::string_view of_result = "_use_dst_for_bwd";
  if (algorithm.starts_with(prefix)) algorithm.remove_prefix(prefix.size());
  if (algorithm.ends_with(of_result)) algorithm.remove_suffix(of_result.size());
  const auto plain = [](ActivationKind kind) { return Activation{.input = {}, .kind = kind}; };
  const auto with = [](ActivationKind kind, float a, float b) {
    return Activation{.input = {}, .kind = kind, .alpha = a, .beta = b};
  };
  if (algorithm == "relu") return alpha == 0 ? plain(relu) : with(leaky_relu, alpha, 0);
  if (algorithm == "clip" || algorithm == "clip_v2") return with(clip, alpha, beta);
  if (algorithm == "bounded_relu") return with(clip, 0, alpha);
  if (algorithm == "elu") return with(elu, alpha, 0);
  if (algorithm == "logistic") return plain(sigmoid);
  if (algorithm == "gelu_erf") return plain(gelu);
  if (algorithm == "swish") return with(swish, alpha, 0);
  if (algorithm == "linear") return with(linear, alpha, beta);
  if (algorithm == "square") return with(pow, 2, 0);
  if (algorithm == "pow" && alpha == 1) return with(pow, beta, 0);
  // Version 2 prints no parameters for these two functions; version 3 prints the usual ones.
  const bool usual = (alpha == 0 && beta == 0) ||
                     (std::fabs(alpha - 1.0F / 6) < 1e-4F && std::fabs(beta - 0.5F) < 1e-4F);
  if (algorithm == "hardswish" && usual) return plain(hard_swish);
  if (algorithm == "soft_relu" && (alpha == 0 || alpha == 1)) return plain(softplus);
  constexpr std::pair<std::string_view, ActivationKind> others[] = {
      {"tanh", tanh}, {"gelu_tanh", gelu_tanh}, {"mish", mish}, {"exp", exp},
      {"log", log},   {"sqrt", sqrt},           {"abs", abs},   {"round", round}};
  for (const auto& [name, kind] : others) {
    if (algorithm == name) return plain(kind);
  }
  return std::nullopt;
}

}  // namespace benanza::record::onednn
