#include "suites/onednn/plans/cell_calls.h"

#include <algorithm>
#include <stdexcept>

#include "core/library/algorithm.h"
#include "suites/harness/int8_scale.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/plans/recurrence.h"

namespace benanza::onednn {

Chain& Chain::sum() {
  operations_.append_sum();
  return *this;
}

Chain& Chain::eltwise(dnnl::algorithm function, float alpha, float beta) {
  api::append_eltwise(operations_, function, alpha, beta);
  return *this;
}

Chain& Chain::binary(dnnl::algorithm function, const Memory::desc& tensor) {
  tensors_.push_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations_.len()) | DNNL_ARG_SRC_1);
  operations_.append_binary(function, tensor);
  return *this;
}

ListedCall::ListedCall(const Implementation& implementation, const Chain& chain,
                       std::vector<Constant> constant_arguments)
    : primitive(library_call("creation of a primitive",
                             [&] { return dnnl::primitive(implementation.current().get()); })),
      weights(implementation.current().query_md(dnnl::query::exec_arg_md, DNNL_ARG_WEIGHTS)),
      scratch(implementation.current().scratchpad_desc()),
      tensors(chain.tensors()),
      constants(std::move(constant_arguments)) {}

void CallList::give(Entry& entry, int id, const Memory& memory) {
  entry.memories.push_back(memory);
  entry.arguments.push_back({id, memory.get()});
}

void CallList::add(const ListedCall& call, const std::vector<std::pair<int, Memory>>& arguments,
                   const std::vector<Memory>& tensors) {
  if (tensors.size() != call.tensors.size()) {
    throw std::logic_error("a call's post-ops read other tensors than it is given");
  }
  Entry entry{
      .primitive = call.primitive, .scratch = call.scratch, .memories = {}, .arguments = {}};
  for (const auto& [id, memory] : arguments) give(entry, id, memory);
  for (std::size_t i = 0; i < tensors.size(); ++i) give(entry, call.tensors[i], tensors[i]);
  for (const Constant& constant : call.constants) {
    const auto count = static_cast<std::int64_t>(constant.values.size());
    const Memory memory = library_call("memory", [&] { return Memory(floats({count}), engine_); });
    std::ranges::copy(constant.values, static_cast<float*>(memory.get_data_handle()));
    give(entry, constant.id, memory);
  }
  entries_.push_back(std::move(entry));
}

std::int64_t CallList::scratch_bytes() const {
  std::size_t most = 0;
  for (const Entry& entry : entries_) most = std::max(most, entry.scratch.get_size());
  return static_cast<std::int64_t>(most);
}

void CallList::take_scratch(std::byte* given) {
  const std::int64_t bytes = scratch_bytes();
  if (bytes == 0) return;
  library_call("memory", [&] {
    const Memory::desc all({bytes}, Memory::data_type::u8, Dims{1});
    scratch_ = given == nullptr ? Memory(all, engine_) : Memory(all, engine_, given);
    for (Entry& entry : entries_) {
      if (entry.scratch.get_size() == 0) continue;
      give(entry, DNNL_ARG_SCRATCHPAD, Memory(entry.scratch, engine_, scratch_.get_data_handle()));
    }
  });
}

void CallList::run(const dnnl::stream& stream) const {
  for (const Entry& entry : entries_) {
    check(dnnl_primitive_execute(entry.primitive.get(), stream.get(),
                                 static_cast<int>(entry.arguments.size()), entry.arguments.data()),
          "could not execute a primitive");
  }
}

namespace {

using enum dnnl::algorithm;

/// What a unit of a product of inputs or states with weights stands for.
float unit_of_products(const Recurrent& shape) {
  return harness::int8_unit_of_weights(shape) / harness::int8_steps_of_data;
}

/// Version 3.7.2's product of bytes for AVX2-VNNI, to which it adds, leaves out the last column if
/// 16 columns or more leave one.
bool leaves_a_column_out(const std::string& implementation, const Recurrent& shape) {
  constexpr std::int64_t vectors = 16;
  return implementation.ends_with(":avx2_vnni") && shape.hidden > vectors &&
         shape.hidden % vectors == 1;
}

}  // namespace

CellCalls::CellCalls(const Recurrent& shape, const VariantContext& context,
                     std::string implementation)
    : shape_(shape), context_(context), implementation_(std::move(implementation)) {
  if (context.integers() && shape.kind != RecurrentKind::lstm) {
    throw harness::Unsupported("oneDNN has no int8 recurrence but the LSTM of inference");
  }
  if (!context.integers() && context.type() != Memory::data_type::f32) {
    throw harness::Unsupported("a recurrence as products is of fp32 or int8");
  }
}

std::int64_t CellCalls::sigmoid_gates() const { return shape_.gates() - 1; }

Memory::desc CellCalls::state() const { return context_.plain({shape_.batch, shape_.hidden}); }

Memory::desc CellCalls::cell() const { return floats({shape_.batch, shape_.hidden}); }

std::vector<std::string> CellCalls::implementations(const Recurrent& shape,
                                                    const VariantContext& context) {
  const CellCalls calls(shape, context, "");
  std::vector<Constant> constants;
  std::vector<std::string> names;
  Implementation one = calls.product(shape.batch, shape.hidden, shape.hidden, calls.cell(),
                                     Chain().sum(), constants);
  do {
    if (is_reference_code(one.name())) continue;
    if (context.integers() && leaves_a_column_out(one.name(), shape)) continue;
    names.push_back(one.name());
  } while (library_call("next implementation", [&] { return one.next(); }));
  if (names.empty()) throw harness::Unsupported("oneDNN has only reference code for its products");
  return names;
}

Implementation CellCalls::product(std::int64_t rows, std::int64_t inputs, std::int64_t columns,
                                  const Memory::desc& result, const Chain& chain,
                                  std::vector<Constant>& constants) const {
  dnnl::primitive_attr attributes = context_.attributes();
  if (context_.integers()) {
    constants = api::scale_product(attributes, unit_of_products(shape_)).constants;
  }
  attributes.set_post_ops(chain.operations());
  const auto first = [&] {
    return api::implementation_of<dnnl::matmul>(
        context_.engine(), attributes, context_.plain({rows, inputs}),
        context_.chosen_by_library({inputs, columns}), Memory::desc(), result);
  };
  return offered([&] {
    Implementation one = first();
    do {
      if (one.name() == implementation_) return one;
    } while (one.next());
    return first();
  });
}

ListedCall CellCalls::listed_product(std::int64_t rows, std::int64_t inputs, std::int64_t columns,
                                     const Memory::desc& result, const Chain& chain) const {
  std::vector<Constant> constants;
  const Implementation made = product(rows, inputs, columns, result, chain, constants);
  return {made, chain, std::move(constants)};
}

ListedCall CellCalls::binary(dnnl::algorithm function, const Memory::desc& first,
                             const Memory::desc& second, const Memory::desc& result,
                             const Chain& chain) const {
  dnnl::primitive_attr attributes = context_.attributes();
  attributes.set_post_ops(chain.operations());
  return {offered([&] {
            return api::implementation_of<dnnl::binary>(context_.engine(), attributes, function,
                                                        first, second, result);
          }),
          chain};
}

ListedCall CellCalls::of_input(std::int64_t inputs) const {
  const std::int64_t rows = shape_.steps * shape_.batch;
  const std::int64_t columns = gates_of(shape_.directions() * shape_.gates()) * shape_.hidden;
  Chain chain;
  if (shape_.bias) chain.binary(binary_add, floats({1, columns}));
  return listed_product(rows, inputs, columns, floats({rows, columns}), chain);
}

const ListedCall& CellCalls::of_sigmoids() {
  if (of_sigmoids_) return *of_sigmoids_;
  const std::int64_t columns = gates_of(sigmoid_gates()) * shape_.hidden;
  return of_sigmoids_.emplace(listed_product(shape_.batch, shape_.hidden, columns,
                                             floats({shape_.batch, columns}),
                                             Chain().sum().eltwise(eltwise_logistic)));
}

Chain CellCalls::chain_of_last() const {
  Chain chain;
  switch (shape_.kind) {
    case RecurrentKind::lstm:
      return chain.sum().eltwise(eltwise_tanh).binary(binary_mul, cell());
    case RecurrentKind::gru:
      if (shape_.linear_before_reset) {
        if (shape_.bias) chain.binary(binary_add, floats({1, shape_.hidden}));
        chain.binary(binary_mul, cell());
      }
      return chain.binary(binary_add, cell()).eltwise(eltwise_tanh);
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  return chain.binary(binary_add, cell()).eltwise(rnn_function(shape_));
}

const ListedCall& CellCalls::of_last() {
  if (of_last_) return *of_last_;
  return of_last_.emplace(
      listed_product(shape_.batch, shape_.hidden, shape_.hidden, cell(), chain_of_last()));
}

const ListedCall& CellCalls::lstm_state() {
  if (lstm_state_) return *lstm_state_;
  Chain chain;
  chain.binary(binary_add, cell()).eltwise(eltwise_tanh).binary(binary_mul, cell());
  if (context_.integers()) chain.eltwise(eltwise_linear, harness::int8_steps_of_data, 0);
  return lstm_state_.emplace(binary(binary_mul, cell(), cell(), state(), chain));
}

const ListedCall& CellCalls::lstm_cell() {
  if (lstm_cell_) return *lstm_cell_;
  return lstm_cell_.emplace(
      binary(binary_mul, cell(), cell(), cell(), Chain().binary(binary_add, cell())));
}

const ListedCall& CellCalls::gru_state() {
  if (gru_state_) return *gru_state_;
  return gru_state_.emplace(binary(binary_sub, cell(), cell(), cell(),
                                   Chain().binary(binary_mul, cell()).binary(binary_add, cell())));
}

const ListedCall& CellCalls::reset_state() {
  if (reset_state_) return *reset_state_;
  return reset_state_.emplace(binary(binary_mul, cell(), cell(), cell(), {}));
}

ListedCall CellCalls::copy(const Memory::desc& from, const Memory::desc& to) const {
  return {Implementation(offered([&] {
    return dnnl::reorder::primitive_desc(context_.engine(), from, context_.engine(), to,
                                         context_.attributes());
  }))};
}

}  // namespace benanza::onednn
