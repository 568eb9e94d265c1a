// Back-propagation through time. Computing all sequences of a batch would take minutes for a large
// network, so adjust_inputs() makes the batch of two sequences, with gradients that are multiples
// of theirs.

#include <algorithm>
#include <cmath>
#include <optional>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"
#include "suites/verify/recurrent_way_back.h"

namespace benanza::verify {
namespace {

constexpr std::int64_t most_sequences = 2;

/// The factor of the gradients of batch entry `entry`: 1, 1/2 and 1/4 in turn.
double factor(std::int64_t entry) {
  return std::ldexp(1.0, -static_cast<int>(entry / most_sequences % 3));
}

/// One element of the problem's result.
struct Place {
  /// The operand of the forward call whose gradient it is.
  std::size_t operand = 0;
  /// The index in that operand.
  std::int64_t index = 0;
};

std::vector<std::size_t> gradient_operands(const RecurrentGradient& shape) {
  const std::vector<Operand> operands = shape.forward.inputs();
  std::vector<std::size_t> chosen;
  for (const Role role : {Role::data, Role::weights}) {
    if (!(role == Role::data ? shape.of_data() : shape.of_weights())) continue;
    for (std::size_t index = 0; index < operands.size(); ++index) {
      if (operands[index].role == role) chosen.push_back(index);
    }
  }
  return chosen;
}

Place place_of(const RecurrentGradient& shape, std::int64_t flat) {
  const std::vector<std::size_t> chosen = gradient_operands(shape);
  const std::vector<Dims> parts = shape.results();
  std::size_t part = 0;
  while (flat >= element_count(parts[part])) flat -= element_count(parts[part++]);
  return {chosen[part], flat};
}

WeightPlace weight_place(const Recurrent& shape, std::size_t sample, const Place& place) {
  const std::int64_t rows = shape.gates() * shape.hidden;
  WeightPlace found{.sample = sample, .operand = place.operand};
  std::int64_t rest = place.index;
  if (place.operand == 1) {
    const std::int64_t cells = shape.layers * shape.directions();
    while (found.cell + 1 < cells &&
           rest >= shape.weights_begin((found.cell + 1) / shape.directions(),
                                       (found.cell + 1) % shape.directions())) {
      ++found.cell;
    }
    const std::int64_t layer = found.cell / shape.directions();
    rest -= shape.weights_begin(layer, found.cell % shape.directions());
    found.row = rest / shape.layer_inputs(layer);
    found.column = rest % shape.layer_inputs(layer);
  } else if (place.operand == 2) {
    found.cell = rest / (rows * shape.hidden);
    found.row = rest / shape.hidden % rows;
    found.column = rest % shape.hidden;
  } else {
    found.cell = rest / (2 * rows);
    found.row = rest % rows;
    found.column = rest / rows % 2;
  }
  return found;
}

/// Calls visit(operand, begin, from, length, by) for all data of batch entry `entry` and the
/// corresponding data of entry `first`; `by` is the ratio of the former's gradients to the
/// latter's.
template <class Visit>
void for_each_part(const Recurrent& shape, std::int64_t entry, std::int64_t first, Visit visit) {
  const std::size_t own = shape.inputs().size();
  const double by = factor(entry);
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    visit(std::size_t{0}, input_begin(shape, step, entry), input_begin(shape, step, first),
          shape.input_size, 1.0);
    for (std::int64_t direction = 0; direction < shape.directions(); ++direction) {
      visit(own, result_begin(shape, step, direction, entry),
            result_begin(shape, step, direction, first), shape.hidden, by);
    }
  }
  const auto states = static_cast<std::size_t>(shape.states());
  for (std::int64_t cell = 0; cell < shape.layers * shape.directions(); ++cell) {
    const std::int64_t begin = (cell * shape.batch + entry) * shape.hidden;
    const std::int64_t from = (cell * shape.batch + first) * shape.hidden;
    for (std::size_t state = 0; state < states; ++state) {
      if (shape.initial) visit(own - states + state, begin, from, shape.hidden, 1.0);
      if (shape.final) visit(own + 1 + state, begin, from, shape.hidden, by);
    }
  }
}

bool is_multiple(const Recurrent& shape, Operands operands, std::int64_t entry) {
  bool same = true;
  for_each_part(shape, entry, entry % most_sequences,
                [&](std::size_t operand, std::int64_t begin, std::int64_t from, std::int64_t length,
                    double by) {
                  const float* values = operands[operand].data();
                  for (std::int64_t i = 0; same && i < length; ++i) {
                    same = values[begin + i] == static_cast<float>(by * values[from + i]);
                  }
                });
  return same;
}

/// The backward passes of a batch: those of the first two entries and of all entries that are not
/// multiples of them.
class Batch {
 public:
  /// `data`: the requested elements of the gradients of input and initial states.
  Batch(const Recurrent& shape, Operands operands, const std::vector<WeightPlace>& weights,
        const std::vector<Place>& data)
      : shape_(shape) {
    std::vector<char> multiple(static_cast<std::size_t>(shape.batch));
    for_each_index(multiple.size(), [&](std::size_t entry) {
      const auto own = static_cast<std::int64_t>(entry);
      multiple[entry] = own >= most_sequences && is_multiple(shape, operands, own);
    });
    for (std::int64_t entry = 0; entry < shape.batch; ++entry) {
      if (multiple[static_cast<std::size_t>(entry)]) {
        entries_.push_back({static_cast<std::size_t>(entry % most_sequences), factor(entry)});
        continue;
      }
      entries_.push_back({sequences_.size(), 1});
      sequences_.push_back(entry);
    }
    for (const Place& place : data) {
      if (place.operand == 0) inputs_.push_back(input_place(place));
    }
    way_.emplace(shape, operands, sequences_, weights, inputs_);
  }

  /// The requested elements of the gradients of input and initial states, in order.
  std::vector<Element> of_data(const std::vector<Place>& data) const {
    std::vector<Element> all;
    std::size_t input = 0;
    for (const Place& place : data) {
      if (place.operand == 0) {
        const std::int64_t row = place.index / shape_.input_size;
        const Entry& entry = entry_at(shape_.batch_first ? row / shape_.steps : row % shape_.batch);
        all.push_back(multiplied(way_->input(input++), entry.factor));
        continue;
      }
      const Entry& entry = entry_at(place.index / shape_.hidden % shape_.batch);
      const auto cell = static_cast<std::size_t>(place.index / shape_.hidden / shape_.batch);
      const bool is_c = shape_.states() == 2 && place.operand + 1 == shape_.inputs().size();
      const Vector& state = is_c ? way_->c(entry.way, cell) : way_->h(entry.way, cell);
      const auto unit = static_cast<std::size_t>(place.index % shape_.hidden);
      all.push_back(multiplied(state.at(unit), entry.factor));
    }
    return all;
  }

  /// Entries with equal values are rounded alike, so their errors add up linearly.
  Element of_weight(std::size_t index) const {
    std::vector<double> factors(sequences_.size());
    for (const Entry& entry : entries_) factors[entry.way] += entry.factor;
    Element total;
    for (std::size_t way = 0; way < factors.size(); ++way) {
      total = total + multiplied(way_->weight(way, index), factors[way]);
    }
    return total;
  }

 private:
  struct Entry {
    std::size_t way = 0;
    double factor = 1;
  };

  const Entry& entry_at(std::int64_t entry) const {
    return entries_[static_cast<std::size_t>(entry)];
  }
  InputPlace input_place(const Place& place) const {
    const std::int64_t row = place.index / shape_.input_size;
    const std::int64_t entry = shape_.batch_first ? row / shape_.steps : row % shape_.batch;
    return {.sequence = entry_at(entry).way,
            .step = shape_.batch_first ? row % shape_.steps : row / shape_.batch,
            .column = place.index % shape_.input_size};
  }

  const Recurrent& shape_;
  std::vector<Entry> entries_;
  /// The entries that are computed.
  std::vector<std::int64_t> sequences_;
  std::vector<InputPlace> inputs_;
  std::optional<WayBack> way_;
};

}  // namespace

std::vector<Element> elements(const RecurrentGradient& shape, Operands operands,
                              const std::vector<Dims>& all) {
  const std::vector<Operand> own = shape.forward.inputs();
  std::vector<WeightPlace> weights;
  std::vector<Place> data;
  std::vector<std::size_t> data_samples;
  for (std::size_t sample = 0; sample < all.size(); ++sample) {
    const Place place = place_of(shape, all[sample][0]);
    if (own[place.operand].role == Role::data) {
      data.push_back(place);
      data_samples.push_back(sample);
    } else {
      weights.push_back(weight_place(shape.forward, sample, place));
    }
  }
  const Batch batch(shape.forward, operands, weights, data);
  std::vector<Element> results(all.size());
  const std::vector<Element> of_data = batch.of_data(data);
  for (std::size_t index = 0; index < data.size(); ++index) {
    results[data_samples[index]] = of_data[index];
  }
  for (std::size_t index = 0; index < weights.size(); ++index) {
    results[weights[index].sample] = batch.of_weight(index);
  }
  return results;
}

double input_range(const RecurrentGradient& shape, std::size_t operand) {
  return operand < shape.forward.inputs().size() ? input_range(shape.forward, operand) : 1;
}

void adjust_inputs(const RecurrentGradient& shape, std::vector<std::vector<float>>& values) {
  const Recurrent& forward = shape.forward;
  // The slope of relu jumps at 0, so biases are made larger than what is added to them.
  if (forward.kind == RecurrentKind::rnn_relu && forward.bias) {
    std::vector<float>& bias = values[3];
    const std::int64_t rows = forward.gates() * forward.hidden;
    for (std::size_t index = 0; index < bias.size(); ++index) {
      const auto flat = static_cast<std::int64_t>(index);
      const bool of_state = flat / rows % 2 == 1;
      const float sign = of_state ? bias[static_cast<std::size_t>(flat - rows)] : bias[index];
      bias[index] = std::copysign(2 + std::abs(bias[index]), sign);
    }
  }
  for_each_index(static_cast<std::size_t>(forward.batch), [&](std::size_t index) {
    const auto entry = static_cast<std::int64_t>(index);
    if (entry < most_sequences) return;
    for_each_part(forward, entry, entry % most_sequences,
                  [&](std::size_t operand, std::int64_t begin, std::int64_t from,
                      std::int64_t length, double by) {
                    float* all = values[operand].data();
                    for (std::int64_t i = 0; i < length; ++i) {
                      all[begin + i] = static_cast<float>(by * all[from + i]);
                    }
                  });
  });
}

}  // namespace benanza::verify
