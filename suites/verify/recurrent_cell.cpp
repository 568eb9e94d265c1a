#include "suites/verify/recurrent_cell.h"

#include <algorithm>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/recurrent.h"

namespace benanza::verify {
namespace {

/// The largest power of two up to the largest value of `all`; 1 if that is 0 or not finite.
double unit_of(const std::vector<const Vector*>& all, std::vector<double> Vector::*member) {
  double largest = 0;
  for (const Vector* const vector : all) {
    for (const double value : vector->*member) largest = std::max(largest, std::abs(value));
  }
  return largest > 0 && std::isfinite(largest) ? std::exp2(std::ilogb(largest)) : 1;
}

/// The functions of a unit take about as long as this many products.
constexpr std::int64_t products_of_a_unit = 256;

}  // namespace

void Vector::put(const Vector& other, std::size_t begin) {
  const auto place = static_cast<std::ptrdiff_t>(begin);
  std::copy(other.value.begin(), other.value.end(), value.begin() + place);
  std::copy(other.magnitude.begin(), other.magnitude.end(), magnitude.begin() + place);
  std::copy(other.carried.begin(), other.carried.end(), carried.begin() + place);
  std::copy(other.stored.begin(), other.stored.end(), stored.begin() + place);
}

Vector exact(const float* values, std::int64_t size) {
  Vector vector(size);
  vector.value.assign(values, values + size);
  return vector;
}

Factor::Factor(const Vector& x) : Factor(x, units_of({&x})) {}

Factor::Factor(const Vector& x, const Units& units)
    : value_(x.value.data()), units_(units), size_(x.size()), error_(x.size()), carried_(x.size()) {
  const auto square = [](double value) { return static_cast<float>(value * value); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    size_[i] = static_cast<float>(std::abs(x.value[i]) / units.size);
    error_[i] = square(x.magnitude[i] / units.error);
    carried_[i] = square(x.stored[i] / units.carried);
  }
}

std::vector<Factor> Factor::alike(const std::vector<const Vector*>& all) {
  const Units units = units_of(all);
  std::vector<Factor> factors;
  for (const Vector* const vector : all) factors.push_back(Factor(*vector, units));
  return factors;
}

Factor::Units Factor::units_of(const std::vector<const Vector*>& all) {
  return {.size = unit_of(all, &Vector::value),
          .error = unit_of(all, &Vector::magnitude),
          .carried = unit_of(all, &Vector::stored)};
}

Element Factor::element(const RowSums& sums) const {
  return {sums.value, sums.magnitude * units_.size + std::sqrt(sums.error) * units_.error,
          std::sqrt(sums.carried) * units_.carried};
}

std::vector<std::vector<Element>> column_sums(Team& team, std::int64_t columns,
                                              std::size_t sequences,
                                              const std::vector<ColumnTerm>& terms) {
  struct Sums {
    explicit Sums(std::size_t size) : value(size), magnitude(size), error(size), carried(size) {}
    std::vector<double> value;
    std::vector<float> magnitude;
    std::vector<float> error;
    std::vector<float> carried;
  };
  const auto stride = static_cast<std::size_t>(columns);
  const auto rows = static_cast<std::int64_t>(terms.front().x->size());
  std::vector<const Vector*> vectors;
  for (const ColumnTerm& term : terms) vectors.push_back(term.x);
  const std::vector<Factor> factors = Factor::alike(vectors);
  std::vector<Sums> sums(sequences, Sums(stride));
  std::vector<std::vector<Element>> elements(sequences, std::vector<Element>(stride));
  const auto add_between = [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t first = 0, last = 0; first < terms.size(); first = last) {
      while (last < terms.size() && terms[last].matrix == terms[first].matrix) ++last;
      const std::size_t length = factors[first].length();
      for (std::size_t row = 0; row < length; row += together) {
        for (std::size_t term = first; term < last; ++term) {
          Sums& own = sums[terms[term].sequence];
          add_rows(terms[first].matrix + row * stride, stride, factors[term].from(row),
                   std::min(together, length - row),
                   {own.value.data(), own.magnitude.data(), own.error.data(), own.carried.data()},
                   static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        }
      }
    }
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
      const Sums& own = sums[sequence];
      for (auto column = static_cast<std::size_t>(begin); column < static_cast<std::size_t>(end);
           ++column) {
        elements[sequence][column] = factors.front().element(
            {own.value[column], own.magnitude[column], own.error[column], own.carried[column]});
      }
    }
  };
  team.in_parts(columns, rows * columns * static_cast<std::int64_t>(terms.size()), add_between);
  return elements;
}

Products::Products(Team& team, const float* matrix, std::int64_t rows,
                   const std::vector<const Vector*>& vectors)
    : rows_(static_cast<std::size_t>(rows)), elements_(rows_ * vectors.size()) {
  std::vector<Factor> factors;
  std::vector<Factors> parts;
  factors.reserve(vectors.size());
  for (const Vector* const vector : vectors) {
    parts.push_back(factors.emplace_back(*vector).from(0));
  }
  const std::size_t columns = vectors.front()->size();
  const auto products = static_cast<std::int64_t>(elements_.size() * columns);
  team.in_parts(rows, products, [&](std::int64_t begin, std::int64_t end) {
    std::vector<RowSums> sums(vectors.size());
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      row_sums(matrix + row * columns, parts.data(), parts.size(), columns, sums.data());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        elements_[i * rows_ + row] = factors[i].element(sums[i]);
      }
    }
  });
}

Products::Products(Team& team, const float* matrix, std::int64_t rows, std::int64_t columns,
                   const std::vector<const float*>& vectors)
    : rows_(static_cast<std::size_t>(rows)), elements_(rows_ * vectors.size()) {
  const auto size = static_cast<std::size_t>(columns);
  const auto products = static_cast<std::int64_t>(elements_.size() * size);
  team.in_parts(rows, products, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      for (std::size_t first = 0; first < vectors.size(); first += together) {
        std::array<const float*, together> some;
        for (std::size_t i = 0; i < together; ++i) {
          some[i] = vectors[std::min(first + i, vectors.size() - 1)];
        }
        const auto sums = exact_sums(matrix + row * size, some, size);
        for (std::size_t i = 0; i < std::min(together, vectors.size() - first); ++i) {
          elements_[(first + i) * rows_ + row] = {sums[i].value, sums[i].magnitude, 0};
        }
      }
    }
  });
}

Cell::Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
           const std::vector<std::int64_t>& entries, Team& team, StoredStates stored)
    : shape_(shape), team_(team), stored_(stored), inputs_(shape.layer_inputs(layer)) {
  const std::int64_t cell = layer * shape.directions() + direction;
  const std::int64_t rows = shape.gates() * shape.hidden;
  weights_ = operands[1].data() + shape.weights_begin(layer, direction);
  recurrence_ = operands[2].data() + cell * rows * shape.hidden;
  std::size_t next = 3;
  if (shape.bias) bias_ = operands[next++].data() + cell * 2 * rows;
  const bool has_c = shape.states() == 2;
  for (const std::int64_t entry : entries) {
    const std::int64_t state = (cell * shape.batch + entry) * shape.hidden;
    h_.push_back(shape.initial ? exact(operands[next].data() + state, shape.hidden)
                               : Vector(shape.hidden));
    c_.push_back(shape.initial && has_c ? exact(operands[next + 1].data() + state, shape.hidden)
                                        : Vector(has_c ? shape.hidden : 0));
  }
}

std::vector<CellStep> Cell::step(const std::vector<const Vector*>& inputs) {
  return step(Products(team_, weights_, shape_.gates() * shape_.hidden, inputs));
}

std::vector<CellStep> Cell::step(const Products& inputs, std::size_t first) {
  const bool gru = shape_.kind == RecurrentKind::gru;
  const bool lstm = shape_.kind == RecurrentKind::lstm;
  std::vector<CellStep> steps;
  std::vector<Vector> next_h;
  std::vector<const Vector*> states;
  std::vector<const Vector*> reset_states;
  for (std::size_t i = 0; i < h_.size(); ++i) {
    steps.push_back({.h_before = h_[i],
                     .c_before = c_[i],
                     .gates = std::vector<Vector>(static_cast<std::size_t>(shape_.gates()),
                                                  Vector(shape_.hidden)),
                     .recurrent = Vector(gru ? shape_.hidden : 0),
                     .c_tanh = Vector(lstm ? shape_.hidden : 0)});
    next_h.emplace_back(shape_.hidden);
    states.push_back(&h_[i]);
  }
  for (const CellStep& step : steps) reset_states.push_back(&step.recurrent);
  // The reset gate acts on the state before the last gate's product is computed.
  const bool resets_before = gru && !shape_.linear_before_reset;
  const Products of_states(team_, recurrence_, (resets_before ? 2 : shape_.gates()) * shape_.hidden,
                           states);
  const auto of_units = [&](const auto& work) {
    const auto count = static_cast<std::int64_t>(steps.size());
    team_.in_parts(shape_.hidden, shape_.hidden * count * products_of_a_unit,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::size_t i = 0; i < steps.size(); ++i) {
                       const Sums sums{inputs, first + i, of_states, i};
                       for (std::int64_t unit = begin; unit < end; ++unit) work(i, sums, unit);
                     }
                   });
  };
  Products of_reset;
  if (gru) {
    of_units([&](std::size_t i, const Sums& sums, std::int64_t unit) {
      reset_unit(sums, unit, steps[i]);
    });
  }
  if (resets_before) {
    of_reset = Products(team_, recurrence(2 * shape_.hidden), shape_.hidden, reset_states);
  }
  of_units([&](std::size_t i, const Sums& sums, std::int64_t unit) {
    CellStep& own = steps[i];
    const auto place = static_cast<std::size_t>(unit);
    if (gru) {
      next_h[i].set(place,
                    gru_unit(sums, unit, resets_before ? of_reset.at(i, unit) : Element{}, own));
    } else {
      next_h[i].set(place, lstm ? lstm_unit(sums, unit, own) : rnn_unit(sums, unit, own));
    }
    if (stored_ == StoredStates::as_bytes) {
      next_h[i].stored[place] = 1 + next_h[i].carried[place];
    }
  });
  h_ = std::move(next_h);
  return steps;
}

std::int64_t input_begin(const Recurrent& shape, std::int64_t step, std::int64_t entry) {
  return (shape.batch_first ? entry * shape.steps + step : step * shape.batch + entry) *
         shape.input_size;
}

std::int64_t step_taken(const Recurrent& shape, std::int64_t direction, std::int64_t taken) {
  const bool backward = shape.direction == RecurrentDirection::reverse || direction == 1;
  return backward ? shape.steps - 1 - taken : taken;
}

void take_steps_of_input(
    const Recurrent& shape, Operands operands, std::int64_t direction,
    const std::vector<std::int64_t>& entries, Cell& cell,
    const std::function<void(std::int64_t taken, std::vector<CellStep> steps)>& visit) {
  // Few enough to stay in a CPU's own caches.
  constexpr std::int64_t at_once = 16;
  for (std::int64_t first = 0; first < shape.steps; first += at_once) {
    const std::int64_t last = std::min(first + at_once, shape.steps);
    std::vector<const float*> vectors;
    for (std::int64_t taken = first; taken < last; ++taken) {
      for (const std::int64_t entry : entries) {
        const std::int64_t step = step_taken(shape, direction, taken);
        vectors.push_back(operands[0].data() + input_begin(shape, step, entry));
      }
    }
    const Products products(cell.team(), cell.weights(0), shape.gates() * shape.hidden,
                            shape.input_size, vectors);
    for (std::int64_t taken = first; taken < last; ++taken) {
      const std::size_t place = static_cast<std::size_t>(taken - first) * entries.size();
      visit(taken, cell.step(products, place));
    }
  }
}

Element Cell::with_bias(Element sum, std::int64_t place) const {
  return bias_ == nullptr ? sum : sum + constant(bias_[place]);
}

Element Cell::of_input(const Sums& sums, std::int64_t gate, std::int64_t unit) const {
  const std::int64_t row = gate * shape_.hidden + unit;
  return with_bias(sums.inputs.at(sums.input, row), row);
}

Element Cell::of_state(const Sums& sums, std::int64_t gate, std::int64_t unit) const {
  const std::int64_t row = gate * shape_.hidden + unit;
  return with_bias(sums.states.at(sums.state, row), shape_.gates() * shape_.hidden + row);
}

Element Cell::rnn_unit(const Sums& sums, std::int64_t unit, CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element sum = of_input(sums, 0, unit) + of_state(sums, 0, unit);
  const bool is_tanh = shape_.kind == RecurrentKind::rnn_tanh;
  const Element result =
      is_tanh ? tanh_of(sum) : Element{std::max(sum.value, 0.0), sum.magnitude, sum.carried};
  step.gates[0].set(i, is_tanh ? result : sum);
  return result;
}

Element Cell::not_stored(Element result) const {
  if (stored_ == StoredStates::as_bytes) result.carried -= std::abs(result.value);
  return result;
}

Element Cell::lstm_unit(const Sums& sums, std::int64_t unit, CellStep& step) {
  const auto i = static_cast<std::size_t>(unit);
  for (std::int64_t gate = 0; gate < 4; ++gate) {
    const Element sum = of_input(sums, gate, unit) + of_state(sums, gate, unit);
    step.gates[static_cast<std::size_t>(gate)].set(
        i, not_stored(gate == 3 ? tanh_of(sum) : sigmoid_of(sum)));
  }
  const auto gate = [&](std::size_t index) { return step.gates[index].at(i); };
  Vector& c = c_[sums.state];
  c.set(i, gate(2) * c.used_again(i) + gate(0) * gate(3));
  if (stored_ == StoredStates::as_bytes) c.stored[i] = c.carried[i];
  step.c_tanh.set(i, not_stored(tanh_of(c.used_again(i))));
  return gate(1) * step.c_tanh.at(i);
}

void Cell::reset_unit(const Sums& sums, std::int64_t unit, CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element reset = sigmoid_of(of_input(sums, 1, unit) + of_state(sums, 1, unit));
  step.gates[1].set(i, reset);
  step.recurrent.set(i, shape_.linear_before_reset ? of_state(sums, 2, unit)
                                                   : reset * h_[sums.state].used_again(i));
}

Element Cell::gru_unit(const Sums& sums, std::int64_t unit, const Element& candidate_sum,
                       CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element update = sigmoid_of(of_input(sums, 0, unit) + of_state(sums, 0, unit));
  const Element kept{1 - update.value, update.magnitude, update.carried};
  const std::int64_t place = (shape_.gates() + 2) * shape_.hidden + unit;
  const Element recurrent = shape_.linear_before_reset ? step.gates[1].at(i) * step.recurrent.at(i)
                                                       : with_bias(candidate_sum, place);
  const Element candidate = tanh_of(of_input(sums, 2, unit) + recurrent);
  step.gates[0].set(i, update);
  step.gates[2].set(i, candidate);
  return kept * candidate + update * h_[sums.state].used_again(i);
}

RecurrentPlace recurrent_place(const Recurrent& shape, const Dims& at) {
  const std::vector<Dims> parts = shape.results();
  const bool sequence = at[0] < shape.steps;
  if (sequence) {
    const Dims where = unravel(at[0] * shape.output()[1] + at[1], parts[0]);
    return {.part = RecurrentPlace::Part::y,
            .layer = shape.layers - 1,
            .step = where[shape.batch_first ? 1 : 0],
            .direction = where[shape.batch_first ? 2 : 1],
            .batch = where[shape.batch_first ? 0 : 2],
            .unit = where[3]};
  }
  const std::int64_t row = at[0] - shape.steps;
  const Dims where = unravel(at[1], {shape.directions(), shape.batch, shape.hidden});
  const bool backward = shape.direction == RecurrentDirection::reverse || where[0] == 1;
  return {.part = row < shape.layers ? RecurrentPlace::Part::h : RecurrentPlace::Part::c,
          .layer = row % shape.layers,
          .step = backward ? 0 : shape.steps - 1,
          .direction = where[0],
          .batch = where[1],
          .unit = where[2]};
}

Dims recurrent_coordinates(const Recurrent& shape, const RecurrentPlace& place) {
  const std::int64_t row = shape.output()[1];
  if (place.part == RecurrentPlace::Part::y) {
    const Dims extents = shape.results()[0];
    const Dims at = shape.batch_first ? Dims{place.batch, place.step, place.direction, place.unit}
                                      : Dims{place.step, place.direction, place.batch, place.unit};
    const std::int64_t flat = ravel_broadcast(at, extents);
    return {flat / row, flat % row};
  }
  const std::int64_t cells = place.part == RecurrentPlace::Part::c ? shape.layers : 0;
  return {shape.steps + cells + place.layer,
          (place.direction * shape.batch + place.batch) * shape.hidden + place.unit};
}

Dims sampled_at(const Recurrent& shape, Dims at) {
  RecurrentPlace place = recurrent_place(shape, at);
  place.batch = 2 * place.batch < shape.batch ? 0 : shape.batch - 1;
  return recurrent_coordinates(shape, place);
}

}  // namespace benanza::verify
