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

  /// The layer that makes `read`, if nobody else reads it; views in between, and the layer, are
  /// taken.
  const LoweredLayer* take_maker(const Read& read) {
    auto maker = read.producer;
    while (maker && flow_.layer(*maker).uses == 1) {
      layers_.push_back(*maker);
      if (!flow_.passes_on(*maker)) return &flow_.layer(*maker);
      maker = flow_.layer(*maker).reads[0].producer;
    }
    return nullptr;
  }

  /// True if `read` is x with the elements of every point swapped and the new first one negated.
  bool is_rotated(const Read& read, const Read& x, const Dims& dims) {
    if (dims.back() % 2 != 0) return false;
    const LoweredLayer* concat = take_maker(read);
    const auto* joined = concat == nullptr ? nullptr : only<Concat>(*concat);
    if (joined == nullptr || joined->parts.size() != 2 || joined->parts[0] != joined->parts[1] ||
        joined->axis + 1 != static_cast<std::int64_t>(joined->parts[0].size())) {
      return false;
    }
    Dims part = dims;
    part.back() /= 2;
    shape_.interleaved = joined->parts[0] != part;
    if (shape_.interleaved) {
      // Rows of points: a last axis for the elements of a point.
      part.push_back(1);
      if (joined->parts[0] != part) return false;
    }
    const LoweredLayer* negated = take_maker(concat->reads[0]);
    const auto* function = negated == nullptr ? nullptr : only<Activation>(*negated);
    if (function == nullptr || function->kind != ActivationKind::linear || function->alpha != -1 ||
        function->beta != 0) {
      return false;
    }
    const std::int64_t second = shape_.interleaved ? 1 : dims.back() / 2;
    return is_taken(negated->reads[0], x, dims, second) && is_taken(concat->reads[1], x, dims, 0);
  }

  /// True if `read` is one element of every point of x, the first of which is at `offset`.
  bool is_taken(const Read& read, const Read& x, const Dims& dims, std::int64_t offset) {
    const LoweredLayer* layer = take_maker(read);
    const auto* copy = layer == nullptr ? nullptr : only<Copy>(*layer);
    if (copy == nullptr || layer->op != "Slice" ||
        origin(layer->reads[0], dims).tensor != origin(x, dims).tensor ||
        layer->calls[0].from_offset != offset ||
        2 * element_count(copy->dims) != element_count(dims)) {
      return false;
    }
    if (shape_.interleaved) return copy->dims.size() == 1 && copy->from == Dims{2};
    const std::int64_t half = dims.back() / 2;
    return copy->dims.size() == 2 ? copy->dims[1] == half && copy->from == Dims{dims.back(), 1}
                                  : copy->dims == Dims{half};
  }

  /// Pads to four axes, rows last.
  bool set_shape(const Product& straight) {
    constexpr std::size_t axes = 4;
    if (straight.extents.size() > axes ||
        straight.table_extents.back() != straight.extents.back()) {
      return false;
    }
    shape_.input = straight.extents;
    shape_.table = straight.table_extents;
    for (Dims* dims : {&shape_.input, &shape_.table}) {
      dims->insert(dims->begin(), axes - dims->size(), 1);
    }
    return true;
  }

  WholeOperator as_operator() {
    std::ranges::sort(layers_);
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
