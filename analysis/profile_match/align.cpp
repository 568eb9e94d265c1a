#include "analysis/profile_match/align.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>

#include "analysis/profile_match/evidence.h"
#include "core/base/error.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr std::size_t most_cells = 2'000'000'000;

bool is_product_kind(std::string_view kind) {
  return kind == "Conv" || kind == "MatMul" || kind == "ConvTranspose";
}

struct Item {
  std::size_t node = 0;  // or layer
  std::size_t part = 0;
  std::string_view kind{};
  std::vector<std::string> signatures{};
  Dims output{};
  bool optional = false;
  /// Of a part: what it may read as a step; of a layer: operand_of().
  std::optional<StepOperand> operand{};
};

Dims without_leading_ones(const Dims& dims) {
  return {std::ranges::find_if(dims, [](auto extent) { return extent != 1; }), dims.end()};
}

std::vector<Item> parts_of(const std::vector<ProfiledNode>& nodes) {
  std::vector<Item> items;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (!nodes[node].origin.empty()) continue;
    for (std::size_t part = 0; part < nodes[node].parts.size(); ++part) {
      const Part& from = nodes[node].parts[part];
      Item item{.node = node,
                .part = part,
                .kind = kind_of_operator(from.op),
                .signatures = {},
                .output = without_leading_ones(from.output),
                .optional = from.optional,
                .operand = from.operand};
      if (!from.problem.empty()) item.signatures.push_back(signature(from.problem));
      items.push_back(std::move(item));
    }
  }
  return items;
}

/// What a layer of two operands reads beside the one that has the result's shape, `any` if that is
/// more than a step does; empty for other layers.
std::optional<StepOperand> operand_of(const Layer& layer) {
  std::optional<Problem> problem;
  try {
    if (!layer.problems.empty()) problem = parse(layer.problems.front());
  } catch (const std::exception&) {
    return std::nullopt;  // a key of another version
  }
  const auto* binary = problem ? std::get_if<Binary>(&problem->shape) : nullptr;
  if (binary == nullptr) return std::nullopt;
  const Dims result = binary->output();
  if (result.empty()) return StepOperand::number;
  const Dims& other = binary->a == result ? binary->b : binary->a;
  if (element_count(other) == 1) return StepOperand::number;
  if (other == result) return StepOperand::same;
  const bool is_row = std::ranges::count_if(other, [](auto extent) { return extent != 1; }) == 1;
  const bool is_column = element_count(other) * result.back() == element_count(result);
  return is_row || (is_column && other.back() == 1) ? StepOperand::row : StepOperand::any;
}

bool may_be_step(StepOperand step, const std::optional<StepOperand>& layer) {
  if (step == StepOperand::any || !layer) return true;
  return *layer != StepOperand::any && *layer <= step;
}

std::vector<Item> items_of(const std::vector<Layer>& layers) {
  std::vector<Item> items;
  for (const std::size_t index : topological_order(layers)) {
    const Layer& layer = layers[index];
    if (layer.cost == Cost::free) continue;
    Item item{.node = index, .kind = kind_of_operator(layer.op)};
    for (const std::string& key : layer.problems) item.signatures.push_back(signature(key));
    item.operand = operand_of(layer);
    if (!layer.outputs.empty()) {
      item.output = without_leading_ones(layer.outputs.front().shape.value_or(Dims{}));
    }
    items.push_back(std::move(item));
  }
  return items;
}

bool is_same_problem(const Item& part, const Item& layer) {
  return !part.signatures.empty() &&
         std::ranges::find(layer.signatures, part.signatures.front()) != layer.signatures.end();
}

bool does_padded(const Item& part, const Item& layer) {
  return part.kind == "MatMul" && !part.signatures.empty() &&
         std::ranges::any_of(layer.signatures, [&](const std::string& asked) {
           return is_padded(part.signatures.front(), asked);
         });
}

/// 0 if they cannot be paired.
int weight(const Item& part, const Item& layer) {
  if (is_same_problem(part, layer)) {
    // The bias of a product is not the product.
    if (part.signatures.front() != layer.signatures.front()) return 8;
    return is_product_kind(layer.kind) ? 32 : 16;
  }
  if (does_padded(part, layer)) return 24;
  if (part.kind != layer.kind) return 0;
  const bool same_output = !part.output.empty() && part.output == layer.output;
  if (part.optional) {
    const bool may_be = part.signatures.empty() && may_be_step(*part.operand, layer.operand);
    return same_output && may_be ? 6 : 0;
  }
  if (same_output) return 6;
  return part.output.empty() ? 3 : 1;
}

MatchKind how(const Item& part, const Item& layer) {
  if (is_same_problem(part, layer) || does_padded(part, layer)) return MatchKind::problem;
  // If the profile does not state a problem, compare the shapes of the results.
  const bool same = part.signatures.empty() && !part.output.empty() && part.output == layer.output;
  return same ? MatchKind::problem : MatchKind::kind;
}

/// Places of a part and of a slot.
using Cell = std::pair<std::size_t, std::size_t>;

/// The pairs, in order, with the largest sum of weights; the last one first.
std::vector<Cell> best_in_order(const std::vector<Item>& parts, const std::vector<Item>& slots) {
  enum class Step : std::uint8_t { end, skip_part, skip_layer, pair };
  const std::size_t width = slots.size() + 1;
  std::vector<int> above(width);
  std::vector<int> best(width);
  std::vector<Step> steps((parts.size() + 1) * width, Step::end);
  for (std::size_t i = 1; i <= parts.size(); ++i) {
    for (std::size_t j = 1; j < width; ++j) {
      Step step = Step::skip_part;
      best[j] = above[j];
      if (best[j - 1] > best[j]) {
        best[j] = best[j - 1];
        step = Step::skip_layer;
      }
      const int gain = weight(parts[i - 1], slots[j - 1]);
      if (gain > 0 && above[j - 1] + gain >= best[j]) {
        best[j] = above[j - 1] + gain;
        step = Step::pair;
      }
      steps[i * width + j] = step;
    }
    std::swap(above, best);
    best[0] = 0;
  }
  std::vector<Cell> pairs;
  for (std::size_t i = parts.size(), j = slots.size(); i > 0 && j > 0;) {
    const Step step = steps[i * width + j];
    if (step != Step::skip_layer) --i;
    if (step == Step::skip_layer || step == Step::pair) --j;
    if (step == Step::pair) pairs.emplace_back(i, j);
  }
  return pairs;
}

/// Pairs of parts and slots, each of which is in one at most.
class Pairing {
 public:
  Pairing(const std::vector<Item>& parts, const std::vector<Item>& slots)
      : parts_(parts), slots_(slots), part_taken_(parts.size()), slot_taken_(slots.size()) {}

  /// Does nothing if either is taken.
  void take(std::size_t part, std::size_t slot, MatchKind found) {
    if (part_taken_[part] || slot_taken_[slot]) return;
    part_taken_[part] = true;
    slot_taken_[slot] = true;
    matches_.push_back({{parts_[part].node, parts_[part].part, slots_[slot].node}, found});
  }

  /// Pairs what is left with equal problems, wherever they are.
  void take_moved() {
    std::map<std::string_view, std::vector<std::size_t>> left;  // in reverse order
    for (std::size_t slot = slots_.size(); slot-- > 0;) {
      if (slot_taken_[slot]) continue;
      for (const std::string& text : slots_[slot].signatures) left[text].push_back(slot);
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const Item& item = parts_[part];
      if (part_taken_[part] || item.optional || item.signatures.empty()) continue;
      const auto found = left.find(item.signatures.front());
      if (found == left.end()) continue;
      while (!found->second.empty() && slot_taken_[found->second.back()]) found->second.pop_back();
      if (!found->second.empty()) take(part, found->second.back(), MatchKind::moved);
    }
  }

  /// In the order of layers.
  std::vector<Match> matches() {
    std::ranges::sort(matches_, {}, [](const Match& match) { return match.pair.layer; });
    return std::move(matches_);
  }

 private:
  const std::vector<Item>& parts_;
  const std::vector<Item>& slots_;
  std::vector<bool> part_taken_;
  std::vector<bool> slot_taken_;
  std::vector<Match> matches_;
};

}  // namespace

std::vector<Match> align(const std::vector<Layer>& layers, const std::vector<ProfiledNode>& nodes) {
  const std::vector<Item> parts = parts_of(nodes);
  const std::vector<Item> slots = items_of(layers);
  if (parts.empty() || slots.empty()) return {};
  if (parts.size() > most_cells / slots.size()) {
    throw Error("a profile of " + std::to_string(parts.size()) +
                " operators is too long: trace a single run of the model");
  }
  Pairing pairing(parts, slots);
  std::vector<Cell> of_kind;
  for (const Cell& cell : best_in_order(parts, slots)) {
    const auto& [part, slot] = cell;
    if (how(parts[part], slots[slot]) == MatchKind::kind) {
      of_kind.push_back(cell);
    } else {
      pairing.take(part, slot, MatchKind::problem);
    }
  }
  pairing.take_moved();
  for (const auto& [part, slot] : of_kind) pairing.take(part, slot, MatchKind::kind);
  return pairing.matches();
}

}  // namespace benanza::analysis
