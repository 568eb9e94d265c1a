#include "generator/fusion/attention_operands.h"

#include "generator/fusion/rows.h"

namespace benanza::fusion {

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
