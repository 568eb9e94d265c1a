#include "record/logs/cudnn/graph.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace benanza::record {
namespace {

using text::between;

double number(std::string_view text, double fallback) {
  return text.empty() ? fallback : std::strtod(std::string(text).c_str(), nullptr);
}

struct NamedFunction {
  std::string_view mode;
  ActivationKind kind;
};
/// Those without parameters.
constexpr std::array functions{NamedFunction{"TANH_FWD", ActivationKind::tanh},
                               NamedFunction{"SIGMOID_FWD", ActivationKind::sigmoid},
                               NamedFunction{"GELU_FWD", ActivationKind::gelu},
                               NamedFunction{"GELU_APPROX_TANH_FWD", ActivationKind::gelu_tanh},
                               NamedFunction{"SOFTPLUS_FWD", ActivationKind::softplus},
                               NamedFunction{"EXP", ActivationKind::exp},
                               NamedFunction{"LOG", ActivationKind::log},
                               NamedFunction{"SQRT", ActivationKind::sqrt},
                               NamedFunction{"ABS", ActivationKind::abs}};

struct NamedCombination {
  std::string_view mode;
  CombineKind kind;
};
constexpr std::array combinations{
    NamedCombination{"ADD", CombineKind::add}, NamedCombination{"SUB", CombineKind::sub},
    NamedCombination{"MUL", CombineKind::mul}, NamedCombination{"DIV", CombineKind::div},
    NamedCombination{"MAX", CombineKind::max}, NamedCombination{"MIN", CombineKind::min}};

std::optional<Activation> relu(const Entry& operation) {
  const double lowest = number(operation.value("ReluLowerClip"), 0);
  const double slope = number(operation.value("ReluLowerClipSlope"), 0);
  const double highest = number(operation.value("ReluUpperClip"), INFINITY);
  // The library's default is the largest float, in six digits.
  const bool is_open = highest > 0.99 * static_cast<double>(std::numeric_limits<float>::max());
  Activation function;
  if (slope != 0) {
    if (lowest != 0 || !is_open) return std::nullopt;
    function.kind = ActivationKind::leaky_relu;
    function.alpha = static_cast<float>(slope);
  } else if (!is_open) {
    function.kind = ActivationKind::clip;
    function.alpha = static_cast<float>(lowest);
    function.beta = static_cast<float>(highest);
  } else if (lowest != 0) {
    return std::nullopt;
  }
  return function;
}

std::optional<Activation> function_of(const Entry& operation, std::string_view mode) {
  if (mode == "RELU_FWD") return relu(operation);
  for (const NamedFunction& one : functions) {
    if (one.mode == mode) return Activation{.input = {}, .kind = one.kind};
  }
  return std::nullopt;
}

class Chain {
 public:
  explicit Chain(const Entry& first)
      : output_(dims(first.value("yDesc.dimA"))), current_(first.value("yDesc.uid")) {}

  /// False if the operation is not the chain's next step.
  bool take(const Entry& operation) {
    if (operation_name(operation) != "POINTWISE") return false;
    const std::string_view mode = between(operation.value("pwDesc.mode"), "CUDNN_POINTWISE_", " ");
    const bool is_taken = mode == "IDENTITY" ? takes(operation, "xDesc") : step(operation, mode);
    current_ = operation.value("yDesc.uid");
    return is_taken;
  }

  GraphEpilogue epilogue() && {
    const auto* const first =
        epilogue_.steps.empty() ? nullptr : std::get_if<Combine>(&epilogue_.steps.front());
    const bool is_residual = first != nullptr && !first->constant;
    Epilogue epilogue = canonical(std::move(epilogue_), output_, per_channel());
    const bool has_both = epilogue.bias && epilogue.residual;
    return {std::move(epilogue), has_both && is_residual};
  }

 private:
  static double scale(const Entry& operation, std::string_view name) {
    return number(operation.value(name), 1);
  }

  bool takes(const Entry& operation, const std::string& tensor) const {
    return operation.value(tensor + ".uid") == current_;
  }

  Dims per_channel() const {
    Dims extents(output_.size(), 1);
    if (extents.size() > 1) extents[1] = output_[1];
    return extents;
  }

  bool step(const Entry& operation, std::string_view mode) {
    for (const NamedCombination& one : combinations) {
      if (one.mode == mode) return combine(operation, one.kind);
    }
    const auto function = function_of(operation, mode);
    if (!function || !takes(operation, "xDesc") || scale(operation, "alpha1") != 1) return false;
    epilogue_.steps.emplace_back(*function);
    return true;
  }

  bool combine(const Entry& operation, CombineKind kind) {
    const bool is_first = takes(operation, "xDesc");
    if (!is_first && !takes(operation, "bDesc")) return false;
    const std::string other = is_first ? "bDesc" : "xDesc";
    const double own_scale = scale(operation, is_first ? "alpha1" : "alpha2");
    const double other_scale = scale(operation, is_first ? "alpha2" : "alpha1");
    if (own_scale != 1) return false;
    // XLA adds a tensor zero times where a network adds none.
    if (kind == CombineKind::add && other_scale == 0) return true;
    const Dims y = dims(operation.value(other + ".dimA"));
    const bool is_number = operation.value(other + ".isByVal") == "true";
    if (other_scale != 1 || is_number || !broadcasts_to(y, output_)) return false;
    const bool can_reverse = kind == CombineKind::sub || kind == CombineKind::div;
    epilogue_.steps.emplace_back(Combine{.kind = kind,
                                         .y = y,
                                         .constant = y == per_channel() && y != output_,
                                         .reversed = can_reverse && !is_first});
    return true;
  }

  Dims output_;
  /// Names the tensor that the next operation takes.
  std::string_view current_;
  Epilogue epilogue_;
};

}  // namespace

std::string_view operation_name(const Entry& operation) {
  constexpr std::string_view prefix = "CUDNN_BACKEND_OPERATION_";
  constexpr std::string_view suffix = "_DESCRIPTOR";
  std::string_view name = operation.function();
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

std::optional<GraphEpilogue> epilogue_of(const std::vector<Entry>& operations) {
  if (operations.size() == 1) return GraphEpilogue{};
  Chain chain(operations.front());
  for (std::size_t at = 1; at < operations.size(); ++at) {
    if (!chain.take(operations[at])) return std::nullopt;
  }
  return std::move(chain).epilogue();
}

}  // namespace benanza::record
