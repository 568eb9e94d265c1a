#include "suites/onednn/plans/recurrent_call.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "suites/onednn/api/library_call.h"

namespace benanza::onednn {
namespace {

constexpr std::size_t input_operand = 0;
constexpr std::size_t weights_operand = 1;
constexpr std::size_t recurrence_operand = 2;

}  // namespace

Memory Buffers::at(const Memory::desc& format, void* place) const {
  return library_call("memory", [&] { return Memory(format, engine_, place); });
}

Memory Buffers::own(const Memory::desc& format) {
  const Memory made =
      owned_.emplace_back(library_call("memory", [&] { return Memory(format, engine_); }));
  std::memset(made.get_data_handle(), 0, format.get_size());
  bytes_ += static_cast<std::int64_t>(format.get_size());
  return made;
}

Memory Buffers::part(const Memory& whole, const Memory::desc& format, std::int64_t begin) const {
  const std::size_t size = Memory::data_type_size(api::data_type(format));
  auto* const first = static_cast<std::byte*>(whole.get_data_handle());
  return at(format, first + static_cast<std::size_t>(begin) * size);
}

RecurrentProducts::RecurrentProducts(const Recurrent& shape, RecurrentSettings settings,
                                     harness::Operands& places)
    : shape_(shape),
      settings_(std::move(settings)),
      buffers_(settings_.context.engine()),
      list_(settings_.context.engine()) {
  const ThreadCount count(settings_.threads);
  place_weights(places);
  place_others(places);
  place_results(places);
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) add_layer(layer);
  if (reorders_batch()) {
    const std::int64_t row = directions() * shape_.hidden;
    const Dims dims{shape_.steps, directions(), shape_.batch, shape_.hidden};
    const Memory::desc from = dense(dims);
    const Memory::desc to =
        settings_.context.strided(dims, {row, shape_.hidden, shape_.steps * row, 1});
    list_.add(settings_.calls.copy(from, to),
              {{DNNL_ARG_FROM, output_}, {DNNL_ARG_TO, buffers_.at(to, y_.get_data_handle())}});
  }
  const std::int64_t scratch = list_.scratch_bytes();
  list_.take_scratch(scratch == 0 ? nullptr : places.scratch(scratch));
}

void RecurrentProducts::place_weights(harness::Operands& places) {
  CellCalls& calls = settings_.calls;
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    const Memory::desc format = calls.of_input(shape_.layer_inputs(layer)).weights;
    const std::int64_t products = together() ? 1 : directions() * gates();
    for (std::int64_t i = 0; i < products; ++i) weights_.add(format);
  }
  for (std::int64_t i = 0; i < shape_.layers * directions(); ++i) {
    const std::int64_t sigmoids = calls.sigmoid_gates();
    const std::int64_t products = together() ? std::min<std::int64_t>(sigmoids, 1) : sigmoids;
    for (std::int64_t j = 0; j < products; ++j) recurrence_.add(calls.of_sigmoids().weights);
    recurrence_.add(calls.of_last().weights);
  }
  const dnnl::engine& engine = settings_.context.engine();
  weights_.place(places, weights_operand, settings_.format_name, engine);
  recurrence_.place(places, recurrence_operand, settings_.format_name, engine);
}

void RecurrentProducts::place_others(harness::Operands& places) {
  const auto operand = [&](std::size_t index, const Memory::desc& format, bool rearranged) {
    const harness::MemoryFormat own{.name = rearranged ? settings_.format_name : "",
                                    .description = {}};
    return buffers_.at(format,
                       places.operand(index, static_cast<std::int64_t>(format.get_size()), own));
  };
  const std::int64_t cells = shape_.layers * directions();
  x_ = operand(input_operand, dense({shape_.steps * shape_.batch * shape_.input_size}), false);
  std::size_t next = recurrence_operand + 1;
  if (shape_.bias) {
    const std::int64_t vectors = cells * (gates() + (has_recurrent_bias() ? 1 : 0));
    bias_ = operand(next++, floats({vectors * shape_.hidden}), true);
  }
  const std::int64_t states = cells * state_elements();
  if (shape_.initial) {
    first_h_ = operand(next++, dense({states}), false);
    const bool bytes = settings_.context.integers();
    if (shape_.states() == 2) first_c_ = operand(next++, floats({states}), bytes);
  } else {
    zeros_ = buffers_.own(floats({state_elements()}));
  }
  gates_ = buffers_.own(floats({directions() * gates() * shape_.steps * state_elements()}));
  candidate_ = buffers_.own(settings_.calls.cell());
}

void RecurrentProducts::place_results(harness::Operands& places) {
  std::size_t next = 0;
  const auto result = [&](const Memory::desc& format, const std::string& name) {
    const auto bytes = static_cast<std::int64_t>(format.get_size());
    return buffers_.at(format, places.result(next++, bytes, {.name = name, .description = {}}));
  };
  const std::int64_t states = shape_.layers * directions() * state_elements();
  const bool lstm = shape_.states() == 2;
  y_ = result(dense({shape_.steps * directions() * state_elements()}), "");
  if (shape_.final) last_h_ = result(dense({states}), "");
  if (!lstm) return;
  const std::string format = settings_.context.integers() ? settings_.format_name : "";
  last_c_ = shape_.final ? result(floats({states}), format) : buffers_.own(floats({states}));
}

void RecurrentProducts::add_layer(std::int64_t layer) {
  const bool last = layer + 1 == shape_.layers;
  const Memory::desc all = dense({shape_.steps, directions(), shape_.batch, shape_.hidden});
  if (layer > 0) {
    add_concatenation();
  } else if (reorders_batch()) {
    const std::int64_t inputs = shape_.input_size;
    const Dims dims{shape_.steps, shape_.batch, inputs};
    const Memory::desc from = settings_.context.strided(dims, {inputs, shape_.steps * inputs, 1});
    input_ = buffers_.own(dense(dims));
    list_.add(settings_.calls.copy(from, dense(dims)),
              {{DNNL_ARG_FROM, buffers_.at(from, x_.get_data_handle())}, {DNNL_ARG_TO, input_}});
  } else {
    input_ = x_;
  }
  output_ = last && !reorders_batch() ? buffers_.at(all, y_.get_data_handle()) : buffers_.own(all);
  add_inputs(layer);
  for (std::int64_t direction = 0; direction < directions(); ++direction) {
    add_steps(layer, direction);
  }
}

/// Of a layer's output, the directions of an entry of the batch beside each other.
void RecurrentProducts::add_concatenation() {
  input_ = output_;
  if (directions() == 1 || shape_.batch == 1) return;
  const Dims dims{shape_.steps, directions(), shape_.batch, shape_.hidden};
  const std::int64_t row = directions() * shape_.hidden;
  const Memory::desc to =
      settings_.context.strided(dims, {shape_.batch * row, shape_.hidden, row, 1});
  input_ = buffers_.own(to);
  list_.add(settings_.calls.copy(dense(dims), to),
            {{DNNL_ARG_FROM, output_}, {DNNL_ARG_TO, input_}});
}

void RecurrentProducts::add_inputs(std::int64_t layer) {
  const std::int64_t inputs = shape_.layer_inputs(layer);
  const std::int64_t rows = shape_.steps * shape_.batch;
  const ListedCall call = settings_.calls.of_input(inputs);
  const std::int64_t all = directions() * gates();
  const std::int64_t products = together() ? 1 : all;
  const std::int64_t columns = all / products * shape_.hidden;
  for (std::int64_t i = 0; i < products; ++i) {
    const Memory result = buffers_.part(gates_, floats({rows, columns}), i * rows * columns);
    std::vector<Memory> bias;
    if (shape_.bias) {
      bias.push_back(buffers_.part(bias_, floats({1, columns}), (layer * products + i) * columns));
    }
    list_.add(call,
              {{DNNL_ARG_SRC, buffers_.at(dense({rows, inputs}), input_.get_data_handle())},
               {DNNL_ARG_WEIGHTS, weights_.piece(static_cast<std::size_t>(layer * products + i))},
               {DNNL_ARG_DST, result}},
              bias);
  }
}

void RecurrentProducts::add_steps(std::int64_t layer, std::int64_t direction) {
  const bool backward = shape_.direction == RecurrentDirection::reverse || direction == 1;
  const std::int64_t state = cell(layer, direction) * state_elements();
  const Memory::desc h = settings_.calls.state();
  const Memory::desc c = settings_.calls.cell();
  const auto first = [&](const Memory::desc& format, const Memory& given) {
    return buffers_.part(shape_.initial ? given : zeros_, format, shape_.initial ? state : 0);
  };
  const bool lstm = shape_.states() == 2;
  Step step{.layer = layer,
            .direction = direction,
            .step = 0,
            .h = first(h, first_h_),
            .c = lstm ? first(c, first_c_) : Memory(),
            .next_h = {},
            .next_c = lstm ? buffers_.part(last_c_, c, state) : Memory(),
            .is_last = false};
  for (std::int64_t taken = 0; taken < shape_.steps; ++taken) {
    step.step = backward ? shape_.steps - 1 - taken : taken;
    step.is_last = taken + 1 == shape_.steps;
    step.next_h =
        buffers_.part(output_, h, (step.step * directions() + direction) * state_elements());
    add_step(step);
    step.h = step.next_h;
    step.c = step.next_c;
  }
  if (!shape_.final) return;
  list_.add(settings_.calls.copy(h, h),
            {{DNNL_ARG_FROM, step.h}, {DNNL_ARG_TO, buffers_.part(last_h_, h, state)}});
}

Memory RecurrentProducts::gate(const Step& step, std::int64_t first, std::int64_t count) const {
  const std::int64_t index = step.direction * gates() + first;
  const std::int64_t begin =
      together() ? step.step * directions() * gates() + index : index * shape_.steps + step.step;
  return buffers_.part(gates_, floats({shape_.batch, count * shape_.hidden}),
                       begin * state_elements());
}

const Memory& RecurrentProducts::recurrence(const Step& step, std::int64_t first) const {
  const bool has_sigmoids = settings_.calls.sigmoid_gates() > 0;
  const std::int64_t products = together() ? (has_sigmoids ? 2 : 1) : gates();
  const std::int64_t index = together() ? std::min<std::int64_t>(first, 1) : first;
  return recurrence_.piece(
      static_cast<std::size_t>(cell(step.layer, step.direction) * products + index));
}

void RecurrentProducts::add_step(const Step& step) {
  CellCalls& calls = settings_.calls;
  const std::int64_t sigmoids = calls.sigmoid_gates();
  const std::int64_t at_once = together() ? sigmoids : 1;
  for (std::int64_t first = 0; first < sigmoids; first += at_once) {
    list_.add(calls.of_sigmoids(), {{DNNL_ARG_SRC, step.h},
                                    {DNNL_ARG_WEIGHTS, recurrence(step, first)},
                                    {DNNL_ARG_DST, gate(step, first, at_once)}});
  }
  switch (shape_.kind) {
    case RecurrentKind::lstm:
      return add_lstm_state(step);
    case RecurrentKind::gru:
      return add_gru_state(step);
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  list_.add(calls.of_last(),
            {{DNNL_ARG_SRC, step.h},
             {DNNL_ARG_WEIGHTS, recurrence(step, 0)},
             {DNNL_ARG_DST, step.next_h}},
            {gate(step, 0)});
}

/// The state is computed of the previous cell, not of the new one, so that its tanh is no call of
/// its own.
void RecurrentProducts::add_lstm_state(const Step& step) {
  CellCalls& calls = settings_.calls;
  const Memory input = gate(step, 0);
  const Memory output = gate(step, 1);
  const Memory forget = gate(step, 2);
  const Memory added = gate(step, 3);
  list_.add(
      calls.of_last(),
      {{DNNL_ARG_SRC, step.h}, {DNNL_ARG_WEIGHTS, recurrence(step, 3)}, {DNNL_ARG_DST, added}},
      {input});
  list_.add(calls.lstm_state(),
            {{DNNL_ARG_SRC_0, step.c}, {DNNL_ARG_SRC_1, forget}, {DNNL_ARG_DST, step.next_h}},
            {added, output});
  if (step.is_last && !shape_.final) return;
  list_.add(calls.lstm_cell(),
            {{DNNL_ARG_SRC_0, step.c}, {DNNL_ARG_SRC_1, forget}, {DNNL_ARG_DST, step.next_c}},
            {added});
}

void RecurrentProducts::add_gru_state(const Step& step) {
  CellCalls& calls = settings_.calls;
  const Memory update = gate(step, 0);
  const Memory reset = gate(step, 1);
  Memory source = step.h;
  std::vector<Memory> read;
  if (shape_.linear_before_reset) {
    if (shape_.bias) {
      const std::int64_t folded = shape_.layers * directions() * gates();
      read.push_back(buffers_.part(bias_, floats({1, shape_.hidden}),
                                   (folded + cell(step.layer, step.direction)) * shape_.hidden));
    }
    read.push_back(reset);
  } else {
    source = reset;
    list_.add(calls.reset_state(),
              {{DNNL_ARG_SRC_0, reset}, {DNNL_ARG_SRC_1, step.h}, {DNNL_ARG_DST, reset}});
  }
  read.push_back(gate(step, 2));
  list_.add(
      calls.of_last(),
      {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, recurrence(step, 2)}, {DNNL_ARG_DST, candidate_}},
      read);
  list_.add(calls.gru_state(),
            {{DNNL_ARG_SRC_0, step.h}, {DNNL_ARG_SRC_1, candidate_}, {DNNL_ARG_DST, step.next_h}},
            {update, candidate_});
}

namespace {

harness::Traits traits_of(const Recurrent& shape) {
  const std::int64_t gates = shape.gates();
  const std::int64_t products = shape.batch == 1 ? 1 : shape.directions() * gates;
  const std::int64_t of_step = (shape.batch == 1 ? std::min<std::int64_t>(gates, 2) : gates) +
                               (shape.kind == RecurrentKind::lstm ? 2 : 1);
  return {.calls = static_cast<std::size_t>(
              shape.layers * (products + shape.directions() * shape.steps * of_step))};
}

}  // namespace

std::vector<harness::Way> recurrent_product_ways(Library& library, const Recurrent& shape,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set,
                                                 const std::string& prefix) {
  if (shape.training) throw harness::Unsupported("a recurrence as products is of inference");
  const VariantContext context(library.engine, prototype.precision, prototype.layout);
  std::vector<harness::Way> ways;
  const auto add = [&](const std::string& implementation, std::optional<int> threads) {
    const std::string name = prefix + "products." + implementation;
    const harness::Traits traits = traits_of(shape);
    const LeastWork least = least_work(prototype.problem, prototype.precision, traits);
    harness::Way way{.name = to_string(ThreadedName{name, threads}), .traits = traits};
    way.traits.threads = threads;
    way.make = [=, &library, packed = name + ":" + key(prototype.problem)](
                   harness::Operands& places) -> std::unique_ptr<harness::Primitive> {
      const ThreadCount count(threads);
      return std::make_unique<RecurrentProducts>(
          shape,
          RecurrentSettings{.context = context,
                            .stream = library.stream,
                            .calls = CellCalls(shape, context, implementation),
                            .format_name = packed,
                            .least_work = least,
                            .threads = threads},
          places);
    };
    ways.push_back(std::move(way));
  };
  const auto names = CellCalls::implementations(shape, context);
  for (const std::string& name : names) add(name, std::nullopt);
  for (const int threads : fewer_threads(prototype.problem, prototype.precision, set)) {
    for (const std::string& name : names) add(name, threads);
  }
  return ways;
}

}  // namespace benanza::onednn
