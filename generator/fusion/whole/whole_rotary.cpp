#include <algorithm>

#include "generator/fusion/whole/whole.h"

namespace benanza::fusion {
namespace {

template <class Shape>
const Shape* only(const LoweredLayer& layer) {
  return layer.calls.size() == 1 ? std::get_if<Shape>(&layer.calls[0].problem.shape) : nullptr;
}

/// Collects the layers of the operator, starting from the last one.
class Rotation {
 public:
  explicit Rotation(const Flow& flow) : flow_(flow) {}

  std::optional<WholeOperator> ending_at(std::size_t root) {
    const auto* sum = only<Binary>(flow_.layer(root));
    if (sum == nullptr || sum->kind != BinaryKind::add || sum->a != sum->b) return std::nullopt;
    for (const std::size_t own : {0, 1}) {
      layers_ = {root};
      if (is_rotation(root, own)) return as_operator();
    }
    return std::nullopt;
  }

 private:
  /// A product of a tensor and a table.
  struct Product {
    const Read* factor = nullptr;
    const Read* table = nullptr;
    Dims extents;
    Dims table_extents;
    std::size_t layer = 0;
  };

  /// True if operand `own` of the sum is x cos and the other one rotated(x) sin.
  bool is_rotation(std::size_t root, std::size_t own) {
    const auto cosine = product(root, own);
    const auto sine = product(root, 1 - own);
    if (cosine.empty() || sine.empty()) return false;
    for (const Product& across : sine) {
      for (const Product& straight : cosine) {
        if (straight.table_extents != across.table_extents) continue;
        const std::vector<std::size_t> before = layers_;
        layers_.push_back(straight.layer);
        layers_.push_back(across.layer);
        if (is_rotated(*across.factor, *straight.factor, straight.extents) && set_shape(straight)) {
          operands_ = {origin(*straight.factor, straight.extents), *straight.table, *across.table};
          return true;
        }
        layers_ = before;
      }
    }
    return false;
  }

  /// Input `operand` of layer `reader` as a product, once with each operand as the table; empty if
  /// it is not a product, or has other readers.
  std::vector<Product> product(std::size_t reader, std::size_t operand) const {
    std::vector<Product> ways;
    const Read* read = flow_.read(reader, flow_.layer(reader).calls[0].operands[operand]);
    if (read == nullptr || !read->producer || flow_.layer(*read->producer).uses != 1) return ways;
    const auto* binary = only<Binary>(flow_.layer(*read->producer));
    if (binary == nullptr || binary->kind != BinaryKind::mul) return ways;
    const auto& operands = flow_.layer(*read->producer).calls[0].operands;
    for (const std::size_t factor : {0, 1}) {
      const Dims& extents = factor == 0 ? binary->a : binary->b;
      const Read* x = flow_.read(*read->producer, operands[factor]);
      const Read* table = flow_.read(*read->producer, operands[1 - factor]);
      if (x == nullptr || table == nullptr || extents != binary->output()) continue;
      ways.push_back({x, table, extents, factor == 0 ? binary->b : binary->a, *read->producer});
    }
    return ways;
  }

  /// Follows views with the same extents back to the tensor that they alias.
  Read origin(Read read, const Dims& dims) const {
    while (read.producer && flow_.passes_on(*read.producer)) {
      const LoweredLayer& layer = flow_.layer(*read.producer);
      const Read& before = layer.reads[0];
      const auto& made = flow_.layer(*before.producer).outputs;
      if (layer.outputs[0].shape != dims || made.size() != 1 || made[0].shape != dims) break;
      read = before;
    }
    return read;
  }

  /// True if `read` is x with the halves of its rows swapped and the new first half negated.
  bool is_rotated(const Read& read, const Read& x, const Dims& dims) {
    const std::int64_t half = dims.back() / 2;
    if (!read.producer || dims.back() % 2 != 0) return false;
    const LoweredLayer& concat = flow_.layer(*read.producer);
    const auto* joined = only<Concat>(concat);
    if (joined == nullptr || concat.uses != 1 || joined->parts.size() != 2 ||
        joined->axis + 1 != static_cast<std::int64_t>(dims.size()) ||
        joined->parts[0].back() != half || joined->parts[1].back() != half) {
      return false;
    }
    layers_.push_back(*read.producer);
    const auto negated = concat.reads[0].producer;
    if (!negated || flow_.layer(*negated).uses != 1) return false;
    const auto* function = only<Activation>(flow_.layer(*negated));
    if (function == nullptr || function->kind != ActivationKind::linear || function->alpha != -1 ||
        function->beta != 0) {
      return false;
    }
    layers_.push_back(*negated);
    return is_half(flow_.layer(*negated).reads[0], x, dims, half) &&
           is_half(concat.reads[1], x, dims, 0);
  }

  /// True if `read` is the half of x's rows that starts at `offset`.
  bool is_half(const Read& read, const Read& x, const Dims& dims, std::int64_t offset) {
    if (!read.producer) return false;
    const LoweredLayer& layer = flow_.layer(*read.producer);
    const auto* copy = only<Copy>(layer);
    if (copy == nullptr || layer.op != "Slice" || layer.uses != 1 ||
        origin(layer.reads[0], dims).tensor != origin(x, dims).tensor ||
        layer.calls[0].from_offset != offset) {
      return false;
    }
    const std::int64_t half = dims.back() / 2;
    const bool is_rows = copy->dims.size() == 2
                             ? copy->dims[1] == half && copy->from == Dims{dims.back(), 1}
                             : copy->dims == Dims{half} && element_count(dims) == dims.back();
    if (!is_rows || element_count(copy->dims) * 2 != element_count(dims)) return false;
    layers_.push_back(*read.producer);
    return true;
  }

  /// Pads to four axes, rows last.
  bool set_shape(const Product& straight) {
    constexpr std::size_t axes = 4;
    if (straight.extents.size() > axes ||
        straight.table_extents.back() != straight.extents.back()) {
      return false;
    }
    shape_ = {.input = straight.extents, .table = straight.table_extents};
    for (Dims* dims : {&shape_.input, &shape_.table}) {
      dims->insert(dims->begin(), axes - dims->size(), 1);
    }
    return true;
  }

  WholeOperator as_operator() {
    std::sort(layers_.begin(), layers_.end());
    return {"rotary", layers_, {shape_, {}}, operands_};
  }

  const Flow& flow_;
  std::vector<std::size_t> layers_;
  std::vector<Read> operands_;
  Rotary shape_;
};

}  // namespace

std::optional<WholeOperator> rotary(const Flow& flow, std::size_t root) {
  return Rotation(flow).ending_at(root);
}

}  // namespace benanza::fusion
