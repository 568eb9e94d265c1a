#include "generator/onnx/broadcast.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

/// A chain of calls of two operands each, from the first input to the last.
template <BinaryKind kind>
Lowered variadic(const Site& site) {
  if (site.input_count() == 1) return free_layer("its only input");
  ElementwiseOperand total{site.shape(0), site.input(0).constant, from_input(0)};
  std::vector<Call> calls;
  for (std::size_t index = 1; index < site.input_count(); ++index) {
    calls.push_back(elementwise_call(
        kind, total,
        {site.shape(index), site.input(index).constant, from_input(static_cast<int>(index))}));
    total = {output(calls.back().problem), false, from_call(static_cast<int>(index) - 1)};
  }
  return measured(std::move(calls));
}

/// The sum divided by the number of inputs.
Lowered mean(const Site& site) {
  Lowered lowered = variadic<BinaryKind::add>(site);
  if (lowered.cost == Cost::free) return lowered;
  const auto last = static_cast<int>(lowered.calls.size()) - 1;
  lowered.calls.push_back(call(Activation{.input = output(lowered.calls.back().problem),
                                          .kind = ActivationKind::linear,
                                          .alpha = 1.0F / static_cast<float>(site.input_count())},
                               {from_call(last)}));
  return lowered;
}

}  // namespace

void register_variadic(LoweringTable& table) {
  table.add("Sum", variadic<BinaryKind::add>);
  table.add("Max", variadic<BinaryKind::max>);
  table.add("Min", variadic<BinaryKind::min>);
  table.add("Mean", mean);
}

}  // namespace benanza::onnx::lower
