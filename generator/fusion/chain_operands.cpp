#include "generator/fusion/fusion.h"
#include "generator/lowered/number_tensors.h"

namespace benanza::fusion {

std::optional<FlowOperand> flow_operand(const Flow& flow, std::size_t index, const Source& source) {
  switch (source.kind) {
    case Source::Kind::call:
      return std::nullopt;
    case Source::Kind::attribute:
      if (source.index == Source::unstated) return std::nullopt;
      return FlowOperand{
          .kind = kind_of_attribute(source), .window = source.window, .numbers = source.numbers};
    case Source::Kind::input:
      break;
  }
  const Read* const read = flow.read(index, source);
  if (read == nullptr || read->tensor == 0) return std::nullopt;
  return FlowOperand{.index = read->tensor, .scale = source.scale};
}

std::optional<FlowCall> flow_call(const Chain& chain) {
  const ChainOperands& known = chain.operands;
  if (!known.known) return std::nullopt;
  FlowCall call{.problem = key(chain.problem), .operands = known.first, .folds = known.folds};
  if (chain.problem.epilogue.bias) call.operands.push_back({.kind = FlowOperand::Kind::bias});
  if (known.residual) call.operands.push_back(*known.residual);
  call.operands.insert(call.operands.end(), known.steps.begin(), known.steps.end());
  if (call.operands.size() != inputs(chain.problem).size()) return std::nullopt;
  return call;
}

}  // namespace benanza::fusion
