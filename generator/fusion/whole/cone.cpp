#include "generator/fusion/whole/cone.h"

#include <algorithm>
#include <map>

namespace benanza::fusion {
namespace {

bool is_understood(const Call& call) {
  const Shape& shape = call.problem.shape;
  return std::holds_alternative<Activation>(shape) || std::holds_alternative<Binary>(shape) ||
         std::holds_alternative<Reduction>(shape) || std::holds_alternative<Softmax>(shape) ||
         std::holds_alternative<Select>(shape);
}

bool is_inner(const Flow& flow, std::size_t index) {
  if (flow.passes_on(index) || repeats(flow, index)) return true;
  const LoweredLayer& layer = flow.layer(index);
  return layer.cost == Cost::measured && layer.outputs.size() == 1 && !layer.calls.empty() &&
         std::ranges::all_of(layer.calls, is_understood);
}

/// A tensor that a cone reads from outside.
struct Outside {
  Read read;
  Dims dims;
};

class Growth {
 public:
  Growth(const Flow& flow, std::size_t root) : flow_(flow) { take(root); }

  const std::vector<std::size_t>& layers() const { return layers_; }
  /// The tensor read from outside, if there is only one.
  const Outside* only() const { return outside_.size() == 1 ? &outside_.begin()->second : nullptr; }

  /// Absorbs the layer that makes the last of the outside tensors; all its readers in the cone have
  /// been absorbed before. Returns false if it must not be inside.
  bool grow() {
    std::optional<std::size_t> last;
    for (const auto& [tensor, outside] : outside_) {
      if (outside.read.producer && (!last || *outside.read.producer > *last)) {
        last = outside.read.producer;
      }
    }
    if (!last || !is_inner(flow_, *last) || flow_.layer(*last).uses != reads_[*last]) {
      return false;
    }
    std::erase_if(outside_, [&](const auto& entry) { return entry.second.read.producer == last; });
    take(*last);
    return true;
  }

 private:
  void take(std::size_t index) {
    const LoweredLayer& layer = flow_.layer(index);
    layers_.insert(layers_.begin(), index);
    for (const Read& one : layer.reads) {
      if (one.producer) ++reads_[*one.producer];
    }
    if (flow_.passes_on(index) || repeats(flow_, index)) {
      read(layer.reads[0], *layer.outputs[0].shape);
      return;
    }
    for (const Call& call : layer.calls) {
      const std::vector<Operand> operands = inputs(call.problem);
      for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const Read* source = flow_.read(index, call.operands[operand]);
        if (source != nullptr) read(*source, operands[operand].dims);
      }
    }
  }

  void read(const Read& source, const Dims& dims) {
    if (!source.constant) outside_.try_emplace(source.tensor, Outside{source, dims});
  }

  const Flow& flow_;
  std::vector<std::size_t> layers_;
  /// By tensor number.
  std::map<std::size_t, Outside> outside_;
  /// How often the layers inside read each layer's result.
  std::map<std::size_t, int> reads_;
};

}  // namespace

bool repeats(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  return layer.op == "Expand" && layer.cost == Cost::movement && layer.outputs.size() == 1 &&
         !layer.reads.empty() && layer.reads[0].producer;
}

std::vector<Cone> cones_at(const Flow& flow, std::size_t root, std::size_t most) {
  std::vector<Cone> cones;
  const LoweredLayer& last = flow.layer(root);
  if (last.cost != Cost::measured || !is_inner(flow, root)) return cones;
  Growth growth(flow, root);
  do {
    const Outside* x = growth.only();
    if (x != nullptr && growth.layers().size() > 1) {
      cones.push_back({growth.layers(), x->read, x->dims});
    }
  } while (growth.layers().size() < most && growth.grow());
  return cones;
}

}  // namespace benanza::fusion
