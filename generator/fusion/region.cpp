#include "generator/fusion/region.h"

#include "core/problem/text.h"

namespace benanza::fusion {
namespace {

bool is_product(const Shape& shape) {
  return std::holds_alternative<Convolution>(shape) ||
         std::holds_alternative<Deconvolution>(shape) || std::holds_alternative<Gemm>(shape);
}

bool is_elementwise(const Shape& shape) {
  return std::holds_alternative<Activation>(shape) || std::holds_alternative<Binary>(shape);
}

bool compares(const Shape& shape) {
  const auto* binary = std::get_if<Binary>(&shape);
  return binary != nullptr && binary->kind >= BinaryKind::eq;
}

bool begins_regions(const Shape& shape) {
  return is_product(shape) || (is_elementwise(shape) && !compares(shape)) ||
         std::holds_alternative<BatchNormalization>(shape) ||
         std::holds_alternative<LayerNormalization>(shape) ||
         std::holds_alternative<InstanceNormalization>(shape) ||
         std::holds_alternative<Softmax>(shape);
}

/// True if the call absorbs one more layer without changing, except for a bias.
bool is_absorbed(const Problem& before, Problem after) {
  after.epilogue.bias = before.epilogue.bias;
  return before == after;
}

/// In how many groups of neighbouring axes the operands of an elementwise call and its steps
/// broadcast: 2x4x8 times 2x1x8 in three, plus 1x1x8 in two. Vectors are of channels.
std::size_t broadcast_groups(const Problem& problem) {
  std::vector<Dims> tensors;
  for (const Operand& operand : inputs(problem)) tensors.push_back(operand.dims);
  const std::size_t rank = tensors.front().size();
  for (Dims& dims : tensors) {
    if (dims.size() == rank) continue;
    if (dims.size() != 1 || rank < 2) return rank;
    Dims wide(rank, 1);
    wide[1] = dims[0];
    dims = std::move(wide);
  }
  return merge_axes(tensors).front().size();
}

/// The call that layer `index` starts with, if it can start a region.
std::optional<Chain> first_call(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  if (layer.cost != Cost::measured || layer.calls.empty() || layer.constant) return std::nullopt;
  const Problem& problem = layer.calls.front().problem;
  if (!begins_regions(problem.shape) || !layer.precision.empty()) return std::nullopt;
  Chain chain{.pattern = std::string(op(problem)), .layers = {index}, .problem = problem};
  chain.operands.known = !layer.calls.front().is_proxy;
  for (const Source& source : layer.calls.front().operands) {
    const auto operand = flow_operand(flow, index, source);
    chain.operands.known = chain.operands.known && operand;
    chain.operands.first.push_back(operand.value_or(FlowOperand{}));
  }
  return chain;
}

class RegionFinder {
 public:
  RegionFinder(const Flow& flow, std::vector<bool> inside)
      : flow_(flow),
        follows_(flow.size(), false),
        behind_core_(flow.size(), false),
        is_simpler_(flow.size(), false),
        skipped_(std::move(inside)) {}

  std::vector<FoundFusion> find() {
    // In data-flow order, so that the layers before a layer have been handled.
    for (std::size_t index = 0; index < flow_.size(); ++index) {
      const auto chain = first_call(flow_, index);
      if (!chain || skipped_[index]) continue;
      const bool elementwise = is_elementwise(chain->problem.shape);
      if (elementwise && follows_[index] && !behind_core_[index] && !is_simpler_[index]) continue;
      extend(*chain, elementwise);
    }
    return std::move(fusions_);
  }

 private:
  void add(const Chain& chain) {
    if (!takes_all_calls(flow_, chain)) return;
    fusions_.push_back({{.pattern = chain.pattern,
                         .layers = chain.layers,
                         .problem = key(chain.problem),
                         .keeps_residual = chain.keeps_residual},
                        flow_call(chain)});
  }

  void extend(Chain chain, bool elementwise) {
    while (chain.problem.epilogue.steps.size() < most_steps) {
      auto longer =
          is_product(chain.problem.shape) ? with_batch_normalization(flow_, chain) : std::nullopt;
      if (!longer) longer = with_next_step(flow_, chain);
      if (!longer || longer->problem.epilogue.steps.size() > most_steps) return;
      const std::size_t last = longer->layers.back();
      if (flow_.layer(last).calls.size() == 1 && is_absorbed(chain.problem, longer->problem)) {
        skipped_[last] = true;
      }
      chain = std::move(*longer);
      (elementwise ? follows_ : behind_core_)[last] = true;
      if (elementwise) {
        const auto alone = first_call(flow_, last);
        is_simpler_[last] =
            alone && broadcast_groups(alone->problem) < broadcast_groups(chain.problem);
      }
      add(chain);
    }
  }

  const Flow& flow_;
  /// Layers that an elementwise chain has absorbed.
  std::vector<bool> follows_;
  /// Layers that a chain starting with a call of another kind has absorbed.
  std::vector<bool> behind_core_;
  /// Layers that an elementwise chain (of several, the last one) has absorbed, and that alone
  /// broadcast in fewer groups of axes than it does: libraries may refuse the chain.
  std::vector<bool> is_simpler_;
  /// Layers of whole operators, and layers folded into weights and bias: regions that start with
  /// them would only cost more.
  std::vector<bool> skipped_;
  std::vector<FoundFusion> fusions_;
};

}  // namespace

std::vector<FoundFusion> regions(const Flow& flow, const std::vector<bool>& inside) {
  return RegionFinder(flow, inside).find();
}

}  // namespace benanza::fusion
