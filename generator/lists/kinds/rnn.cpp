#include "generator/lists/list.h"

namespace benanza::lists {
namespace {

RecurrentKind cell_of(const Row& row) {
  const std::string& cell = row.text("cell");
  if (cell == "vanilla") return RecurrentKind::rnn_relu;
  if (cell == "lstm") return RecurrentKind::lstm;
  if (cell == "gru") return RecurrentKind::gru;
  throw row.error("cells are vanilla, lstm and gru, not \"" + cell + '"');
}

Recurrent forward(const Row& row) {
  Recurrent shape{.kind = cell_of(row),
                  .steps = row.integer("timesteps"),
                  .batch = row.integer("batch"),
                  .input_size = row.integer("hidden"),
                  .hidden = row.integer("hidden"),
                  .bias = true,
                  .initial = true,
                  .final = true};
  shape.linear_before_reset = shape.kind == RecurrentKind::gru;
  return shape;
}

Pass pass_of(const Row& row, const std::string& name, const Recurrent& shape, bool training) {
  if (name == "fwd") {
    Recurrent own = shape;
    own.training = training;
    return {.name = name, .problem = Problem{own, {}}};
  }
  if (name == "bwd_data") {
    return {.name = name,
            .problem = Problem{RecurrentGradient{shape, RecurrentGradients::of_data}, {}}};
  }
  if (name == "bwd_weights") {
    return {.name = name,
            .problem = Problem{RecurrentGradient{shape, RecurrentGradients::of_weights}, {}}};
  }
  throw row.error("passes are fwd, bwd_data and bwd_weights, not \"" + name + '"');
}

Entry read(const Row& row) {
  const Recurrent shape = forward(row);
  Entry entry{.sizes = row.text("cell") + " hidden=" + row.text("hidden") +
                       " batch=" + row.text("batch") + " t=" + row.text("timesteps"),
              .passes = {}};
  const std::vector<std::string> names = row.words("passes");
  for (const std::string& name : names) {
    entry.passes.push_back(pass_of(row, name, shape, names.size() > 1));
  }
  return entry;
}

}  // namespace

/// As the published runs call cuDNN: if gradients follow, the forward call keeps what they need;
/// vanilla is ReLU; a GRU's reset gate acts on the product; there are biases; initial states are
/// given and final ones returned. Unlike those runs, the input's product is computed, as in a layer
/// of a model: about twice the products.
Kind rnn_kind() { return {"rnn", read}; }

}  // namespace benanza::lists
