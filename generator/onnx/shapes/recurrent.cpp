#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"

namespace benanza::onnx::shapes {
namespace {

/// Of Y, Y_h and, of an LSTM, Y_c. The schemas want hidden_size, which the recurrence's weights
/// say, too.
std::vector<TensorFacts> recurrent(const Site& site) {
  const Dims& input = site.shape(0);
  const Dims& recurrence = site.shape(2);
  if (input.size() != 3) throw Error("an input of " + join(input, 'x') + " has not three axes");
  if (recurrence.size() != 3) throw Error("recurrence weights of " + join(recurrence, 'x'));
  const std::int64_t directions = recurrence[0];
  const std::int64_t hidden = recurrence[2];
  const bool batch_first = site.node().integer("layout", 0) != 0;
  const int type = site.input(0).type;
  const TensorFacts state{
      type, batch_first ? Dims{input[0], directions, hidden} : Dims{directions, input[1], hidden}};
  return {{type, batch_first ? Dims{input[0], input[1], directions, hidden}
                             : Dims{input[0], directions, input[1], hidden}},
          state,
          state};
}

}  // namespace

void register_recurrent(ShapeTable& table) {
  for (const auto* op : {"RNN", "LSTM", "GRU"}) table.add(op, recurrent);
}

}  // namespace benanza::onnx::shapes
