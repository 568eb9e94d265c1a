#include "generator/fusion/attention_operands.h"

#include <algorithm>
#include <map>

namespace benanza::fusion {
namespace {

/// True if every copy of the layer moves runs of `length` elements or a multiple of it.
bool moves_runs(const LoweredLayer& layer, std::int64_t length) {
  return !layer.calls.empty() && std::ranges::all_of(layer.calls, [&](const Call& call) {
    const auto* copy = std::get_if<Copy>(&call.problem.shape);
    return copy != nullptr && !call.is_proxy && !copy->dims.empty() && copy->from.back() == 1 &&
           copy->to.back() == 1 && copy->dims.back() % length == 0;
  });
}

bool picks(const LoweredLayer& layer) {
  return layer.cost == Cost::movement &&
         (layer.op == "Split" || layer.op == "Slice" || layer.op == "Gather");
}

class Picker {
 public:
  Picker(const Flow& flow, const std::vector<Rows>& rows) : flow_(flow), rows_(rows) {}

  std::vector<std::size_t> find() {
    for (const Rows& rows : rows_) look_before(rows);
    for (const auto& [layer, pick] : picks_) {
      // Only if all results are rows that the call reads.
      if (flow_.layer(layer).uses != pick.reads) continue;
      layers_.push_back(layer);
      layers_.insert(layers_.end(), pick.views.begin(), pick.views.end());
      if (const auto source = flow_.layer(layer).reads[0].producer) ++reads_of_[*source];
    }
    for (const auto& [source, reads] : reads_of_) take_transposition(source, reads);
    return std::move(layers_);
  }

 private:
  struct Pick {
    int reads = 0;
    std::vector<std::size_t> views;
  };

  void look_before(const Rows& rows) {
    const auto& reads = flow_.layer(rows.reader).reads;
    if (rows.operand >= reads.size()) return;
    std::vector<std::size_t> views;
    auto made = reads[rows.operand].producer;
    while (made && flow_.layer(*made).uses == 1 && flow_.passes_on(*made)) {
      views.push_back(*made);
      made = flow_.layer(*made).reads[0].producer;
    }
    if (!made || !picks(flow_.layer(*made)) || !moves_runs(flow_.layer(*made), rows.length)) return;
    Pick& pick = picks_[*made];
    ++pick.reads;
    pick.views.insert(pick.views.end(), views.begin(), views.end());
  }

  /// Takes the transposition if its result, or a view of it, is read only by `reads` picks.
  void take_transposition(std::size_t source, int reads) {
    if (flow_.layer(source).uses != reads) return;
    std::vector<std::size_t> taken{source};
    while (flow_.passes_on(taken.back())) {
      const auto before = flow_.layer(taken.back()).reads[0].producer;
      if (!before || flow_.layer(*before).uses != 1) return;
      taken.push_back(*before);
    }
    if (!moves_whole_rows(flow_.layer(taken.back()))) return;
    layers_.insert(layers_.end(), taken.begin(), taken.end());
  }

  const Flow& flow_;
  const std::vector<Rows>& rows_;
  std::map<std::size_t, Pick> picks_;
  /// How many picks read a layer's result.
  std::map<std::size_t, int> reads_of_;
  std::vector<std::size_t> layers_;
};

}  // namespace

bool moves_whole_rows(const LoweredLayer& layer) {
  if (layer.op != "Transpose" || layer.calls.size() != 1) return false;
  const auto* copy = std::get_if<Copy>(&layer.calls[0].problem.shape);
  return copy != nullptr && copy->dims.size() > 1 && copy->from.back() == 1 && copy->to.back() == 1;
}

std::vector<std::size_t> layers_that_pick(const Flow& flow, const std::vector<Rows>& rows) {
  return Picker(flow, rows).find();
}

std::optional<std::size_t> OperandWalk::maker() {
  passed_.clear();
  const auto& sources = flow_.layer(place_.reader).reads;
  auto made = place_.operand < sources.size() ? sources[place_.operand].producer : std::nullopt;
  while (made && flow_.layer(*made).uses == 1 && flow_.passes_on(*made)) {
    passed_.push_back(*made);
    made = flow_.layer(*made).reads[0].producer;
  }
  if (!made || flow_.layer(*made).uses != 1) return std::nullopt;
  return made;
}

bool OperandWalk::is_copy(std::optional<std::size_t> index, std::string_view op) const {
  if (!index) return false;
  const LoweredLayer& layer = flow_.layer(*index);
  return layer.op == op && layer.calls.size() == 1 &&
         std::holds_alternative<Copy>(layer.calls[0].problem.shape);
}

void OperandWalk::take(std::size_t index) {
  layers_.push_back(index);
  layers_.insert(layers_.end(), passed_.begin(), passed_.end());
  const auto& sources = flow_.layer(index).reads;
  place_ = {index, sources[0].constant && sources.size() > 1 ? std::size_t{1} : 0};
}

void OperandWalk::take_factors(ScoreScale& scale) {
  for (auto made = maker(); made && ScoreScale::is_factor(flow_.layer(*made)); made = maker()) {
    scale.times(ScoreScale::factor_of(flow_, *made));
    take(*made);
  }
}

bool OperandWalk::take_transposition() {
  const auto made = maker();
  if (!is_copy(made, "Transpose")) return false;
  take(*made);
  return true;
}

std::int64_t OperandWalk::take_repeats() {
  const auto made = maker();
  if (!is_copy(made, "Expand")) return 1;
  const LoweredLayer& expand = flow_.layer(*made);
  const auto from = expand.reads[0].producer;
  if (!from || flow_.layer(*from).outputs.size() != 1) return 1;
  const auto& before = flow_.layer(*from).outputs[0].shape;
  const auto& after = expand.outputs[0].shape;
  if (!before || !after || after->size() != 5 || before->size() != 5) return 1;
  Dims expected = *after;
  expected[2] = 1;
  if (*before != expected) return 1;
  take(*made);
  return (*after)[2];
}

void OperandWalk::take_heads() {
  const auto made = maker();
  if (made && moves_whole_rows(flow_.layer(*made))) take(*made);
}

}  // namespace benanza::fusion
