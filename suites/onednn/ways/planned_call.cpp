#include "suites/onednn/ways/planned_call.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/problem/least_work.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/ways/threads.h"

namespace benanza::onednn {
namespace {

bool has_gaps(const Memory::desc& format) {
  const auto elements = static_cast<std::size_t>(element_count(api::dims(format)));
  return format.get_size() > elements * Memory::data_type_size(api::data_type(format));
}

/// Between two tensors with gaps, values go through one without: version 3.7 misplaces them
/// otherwise (ops/copy.cpp).
void convert(const dnnl::stream& stream, Memory from, Memory to) {
  library_call("conversion of values", [&] {
    const Memory::desc target = to.get_desc();
    if (has_gaps(from.get_desc()) && has_gaps(target)) {
      const Dims dims = api::dims(target);
      Memory dense({dims, api::data_type(target), dense_strides(dims)}, to.get_engine());
      dnnl::reorder(from, dense).execute(stream, from, dense);
      dnnl::reorder(dense, to).execute(stream, dense, to);
    } else {
      dnnl::reorder(from, to).execute(stream, from, to);
    }
    dnnl::stream(stream).wait();
  });
}

}  // namespace

LeastWork least_work(const Problem& problem, Precision precision, const harness::Traits& traits) {
  // F(4x4,3x3), the library's largest, takes 36 products instead of 144.
  constexpr double saving_of_winograd = 4;
  const bool rounds = problem.packed && problem.packed->rounds_data;
  double saving = traits.transforms ? saving_of_winograd : 1;
  if (rounds) saving = std::numeric_limits<double>::infinity();
  const double read = least_read_bytes(problem, precision);
  const double written = least_bytes(problem, precision) - read;
  return {.work = {.flops = direct_flops(problem),
                   .bytes_read = static_cast<std::int64_t>(read),
                   .bytes_written = static_cast<std::int64_t>(written)},
          .precision = precision,
          .arithmetic_saving = saving};
}

PlannedCall::PlannedCall(const Plan& plan, const dnnl::engine& engine, const dnnl::stream& stream,
                         harness::Operands& places, std::int64_t result_elements,
                         const LeastWork& least_work, std::optional<int> threads)
    : engine_(engine),
      stream_(stream),
      result_elements_(result_elements),
      least_work_(least_work),
      threads_(threads),
      facts_(plan.facts) {
  const ThreadCount count(threads);
  primitive_ = library_call("creation of the primitive",
                            [&] { return dnnl::primitive(plan.implementation.current().get()); });
  allocate_operands(plan, places);
  see_again(plan);
  fill(plan);
  for (const Constant& constant : plan.constants) add(constant);
  if (plan.preparation) {
    prepare(plan);
  } else if (const Memory::desc kept =
                 plan.implementation.current().query_md(dnnl::query::workspace_md);
             kept.get_size() > 0) {
    kept_ = library_call("memory for what gradients need", [&] { return Memory(kept, engine_); });
    arguments_.push_back({DNNL_ARG_WORKSPACE, kept_.get()});
  }
  allocate_results(plan, places);
  allocate_scratch(plan, places);
}

void PlannedCall::allocate_operands(const Plan& plan, harness::Operands& places) {
  for (const Argument& argument : plan.operands) {
    if (argument.in_result) in_result_ = operands_.size();
    const auto place = [&](std::int64_t bytes, const harness::MemoryFormat& format) {
      return places.operand(operands_.size(), bytes, format);
    };
    const auto before = std::ranges::find(plan.before, operands_.size(), &Before::operand);
    operands_.push_back(before != plan.before.end()
                            ? allocate_before(plan, argument, *before, place)
                        : plan.preparation ? allocate_prepared(plan, argument, place)
                                           : allocate(plan, argument, place));
  }
}

void PlannedCall::see_again(const Plan& plan) {
  for (const auto& [id, operand, made] : plan.again) {
    const Memory::desc format =
        plan.implementation.current().query_md(dnnl::query::exec_arg_md, id);
    const Memory& read = made ? made_.at(operand) : operands_.at(operand).memory;
    if (format.get_size() != read.get_desc().get_size()) {
      throw harness::Unsupported("oneDNN wants the operand in two formats");
    }
    again_.emplace_back(format, engine_, read.get_data_handle());
    arguments_.push_back({id, again_.back().get()});
  }
}

void PlannedCall::fill(const Plan& plan) {
  for (const auto& [id, value] : plan.fills) {
    const Memory& memory = fills_.emplace_back(allocate(plan, {id, {}}).memory);
    const Memory::desc format = memory.get_desc();
    std::memset(memory.get_data_handle(), 0, format.get_size());
    if (value == 0) continue;
    const Dims dims = api::dims(format);
    std::vector<float> values(static_cast<std::size_t>(element_count(dims)), value);
    convert(stream_, Memory(floats(dims), engine_, values.data()), memory);
  }
}

void PlannedCall::allocate_results(const Plan& plan, harness::Operands& places) {
  const Place place = [&](std::int64_t bytes, const harness::MemoryFormat& format) {
    return places.result(results_.size(), bytes, format);
  };
  results_.push_back(plan.after ? allocate_after(plan, place) : allocate(plan, plan.result, place));
  for (const Argument& argument : plan.further_results) {
    results_.push_back(allocate(plan, argument, place));
  }
}

void PlannedCall::allocate_scratch(const Plan& plan, harness::Operands& places) {
  const Memory::desc scratch = plan.implementation.current().scratchpad_desc();
  if (scratch.get_size() == 0) return;
  std::byte* const given = places.scratch(static_cast<std::int64_t>(scratch.get_size()));
  scratchpad_ = library_call("memory", [&] {
    return given == nullptr ? Memory(scratch, engine_) : Memory(scratch, engine_, given);
  });
  arguments_.push_back({DNNL_ARG_SCRATCHPAD, scratchpad_.get()});
  workspace_bytes_ += static_cast<std::int64_t>(scratch.get_size());
}

Memory PlannedCall::memory(const Memory::desc& format, const Argument& argument,
                           const Place& place) const {
  return library_call("memory", [&] {
    const Formats both = formats(argument, format);
    std::byte* const given =
        place ? place(static_cast<std::int64_t>(format.get_size()),
                      argument.rearrange ? rearranged_format(both) : memory_format(both))
              : nullptr;
    return given == nullptr ? Memory(format, engine_) : Memory(format, engine_, given);
  });
}

Memory PlannedCall::seen(const Tensor& tensor) const {
  const auto& format = tensor.argument.seen_as;
  if (!format) return tensor.memory;
  if (format->get_size() != tensor.memory.get_desc().get_size()) {
    throw std::logic_error("a tensor seen as one of another size");
  }
  return {*format, engine_, tensor.memory.get_data_handle()};
}

PlannedCall::Tensor PlannedCall::allocate(const Plan& plan, const Argument& argument,
                                          const Place& place) {
  const Memory::desc wanted =
      plan.implementation.current().query_md(dnnl::query::exec_arg_md, argument.id);
  if (wanted.get_size() == 0) {
    throw std::runtime_error("oneDNN does not take argument " + std::to_string(argument.id));
  }
  const Memory made = memory(wanted, argument, place);
  if (!argument.in_result) arguments_.push_back({argument.id, made.get()});
  return {made, argument};
}

PlannedCall::Tensor PlannedCall::allocate_prepared(const Plan& plan, const Argument& argument,
                                                   const Place& place) {
  const Preparation& preparation = *plan.preparation;
  const bool prepares =
      std::ranges::find(preparation.operands, operands_.size()) != preparation.operands.end();
  const Memory::desc wanted =
      plan.implementation.current().query_md(dnnl::query::exec_arg_md, argument.id);
  if (!prepares || wanted.get_size() > 0) return allocate(plan, argument, place);
  return {memory(preparation.call.current().query_md(dnnl::query::exec_arg_md, argument.id),
                 argument, place),
          argument};
}

void PlannedCall::prepare(const Plan& plan) {
  const dnnl::primitive_desc_base& call = plan.preparation->call.current();
  const dnnl::primitive_desc_base& gradient = plan.implementation.current();
  const auto wanted = [](const dnnl::primitive_desc_base& of, int id) {
    return of.query_md(dnnl::query::exec_arg_md, id);
  };
  library_call("the forward call", [&] {
    Prepared made{.last_operand = plan.preparation->operands.back(),
                  .call = dnnl::primitive(call.get()),
                  .operands = {},
                  .arguments = {}};
    for (const std::size_t index : plan.preparation->operands) {
      const Tensor& operand = operands_.at(index);
      const Memory::desc format = wanted(call, operand.argument.id);
      const bool shared = format == operand.memory.get_desc();
      const Memory memory = shared ? operand.memory : Memory(format, engine_);
      made.operands.emplace(index, memory);
      made.arguments.emplace(operand.argument.id, memory);
    }
    for (std::size_t fill = 0; fill < plan.fills.size(); ++fill) {
      if (wanted(call, plan.fills[fill].id).get_size() == 0) continue;
      made.arguments.emplace(plan.fills[fill].id, fills_[fill]);
    }
    for (const int id : plan.preparation->results) {
      const Memory memory(wanted(call, id), engine_);
      made.arguments.emplace(id, memory);
      if (wanted(gradient, id).get_size() > 0) arguments_.push_back({id, memory.get()});
    }
    kept_ = Memory(call.query_md(dnnl::query::workspace_md), engine_);
    made.arguments.emplace(DNNL_ARG_WORKSPACE, kept_);
    if (gradient.query_md(dnnl::query::workspace_md).get_size() > 0) {
      arguments_.push_back({DNNL_ARG_WORKSPACE, kept_.get()});
    }
    made.arguments.emplace(DNNL_ARG_SCRATCHPAD, Memory(call.scratchpad_desc(), engine_));
    prepared_ = std::move(made);
  });
}

void PlannedCall::run_preparation() {
  library_call("the forward call", [&] {
    for (const auto& [index, memory] : prepared_->operands) {
      const Memory& given = operands_[index].memory;
      if (given.get() != memory.get()) convert(stream_, given, memory);
    }
    prepared_->call.execute(stream_, prepared_->arguments);
    dnnl::stream(stream_).wait();
  });
}

void PlannedCall::add(const Constant& constant) {
  const auto count = static_cast<std::int64_t>(constant.values.size());
  const Memory memory = library_call("memory", [&] { return Memory(floats({count}), engine_); });
  std::copy(constant.values.begin(), constant.values.end(),
            static_cast<float*>(memory.get_data_handle()));
  arguments_.push_back({constant.id, constants_.emplace_back(memory).get()});
}

PlannedCall::Aside PlannedCall::aside(const Implementation& implementation, const Memory& given,
                                      const Memory& made, const std::vector<int>& again) {
  return library_call("a call beside", [&] {
    Aside aside{.call = dnnl::primitive(implementation.current().get()),
                .memories = {given, made},
                .arguments = {{DNNL_ARG_SRC, given.get()}, {DNNL_ARG_DST, made.get()}}};
    for (const int id : again) aside.arguments.push_back({id, given.get()});
    const Memory::desc scratch = implementation.current().scratchpad_desc();
    if (scratch.get_size() > 0) {
      aside.memories.emplace_back(scratch, engine_);
      aside.arguments.push_back({DNNL_ARG_SCRATCHPAD, aside.memories.back().get()});
      workspace_bytes_ += static_cast<std::int64_t>(scratch.get_size());
    }
    return aside;
  });
}

void PlannedCall::Aside::run(const dnnl::stream& stream) const {
  check(dnnl_primitive_execute(call.get(), stream.get(), static_cast<int>(arguments.size()),
                               arguments.data()),
        "could not execute a call beside");
}

PlannedCall::Tensor PlannedCall::allocate_before(const Plan& plan, const Argument& argument,
                                                 const Before& before, const Place& place) {
  const Memory::desc wanted =
      plan.implementation.current().query_md(dnnl::query::exec_arg_md, argument.id);
  const Implementation call = before.call(wanted);
  const Memory given =
      memory(call.current().query_md(dnnl::query::exec_arg_md, DNNL_ARG_SRC), argument, place);
  const Memory made(call.current().query_md(dnnl::query::exec_arg_md, DNNL_ARG_DST), engine_);
  workspace_bytes_ += static_cast<std::int64_t>(wanted.get_size());
  before_.push_back(aside(call, given, made, before.again));
  made_.emplace(operands_.size(), made);
  again_.emplace_back(wanted, engine_, made.get_data_handle());
  arguments_.push_back({argument.id, again_.back().get()});
  return {given, argument};
}

PlannedCall::Tensor PlannedCall::allocate_after(const Plan& plan, const Place& place) {
  const Memory::desc computed =
      plan.implementation.current().query_md(dnnl::query::exec_arg_md, plan.result.id);
  const Implementation call = plan.after(computed);
  const Memory made =
      memory(call.current().query_md(dnnl::query::exec_arg_md, DNNL_ARG_DST), plan.result, place);
  const Memory given(call.current().query_md(dnnl::query::exec_arg_md, DNNL_ARG_SRC), engine_);
  workspace_bytes_ += static_cast<std::int64_t>(computed.get_size());
  after_.push_back(aside(call, given, made, {}));
  again_.emplace_back(computed, engine_, given.get_data_handle());
  arguments_.push_back({plan.result.id, again_.back().get()});
  return {made, plan.result};
}

void PlannedCall::upload(std::size_t index, std::span<const float> values) {
  const Tensor& operand = operands_.at(index);
  std::vector<float> rearranged;
  if (operand.argument.rearrange) {
    rearranged = operand.argument.rearrange(values);
    values = rearranged;
  }
  // The library's API takes a non-const pointer even for reading.
  const Memory source(operand.argument.values, engine_, const_cast<float*>(values.data()));
  convert(stream_, source, seen(operand));
  if (prepared_ && prepared_->last_operand == index) run_preparation();
}

void PlannedCall::poison_output() {
  // What a call reads there before it has written it is no part of its operands.
  if (scratchpad_) {
    std::memset(scratchpad_.get_data_handle(), 0xFF, scratchpad_.get_desc().get_size());
  }
  if (in_result_) {
    return convert(stream_, operands_[*in_result_].memory, results_.front().memory);
  }
  for (const Tensor& result : results_) {
    const Memory::desc format = result.memory.get_desc();
    // All bits set is NaN in every floating-point type; 0x80 is -128, as 0 is less a zero point.
    const Memory::data_type type = api::data_type(format);
    const bool is_unsigned = type == Memory::data_type::u8;
    const int poison = is_unsigned ? 0 : type == Memory::data_type::s8 ? 0x80 : 0xFF;
    const int byte = result.argument.accumulates ? 0 : poison;
    std::memset(result.memory.get_data_handle(), byte, format.get_size());
  }
}

void PlannedCall::run() {
  const ThreadCount count(threads_);
  for (const Aside& one : before_) one.run(stream_);
  check(dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()),
                               arguments_.data()),
        "could not execute a primitive");
  for (const Aside& one : after_) one.run(stream_);
}

std::vector<float> PlannedCall::download() {
  check(dnnl_stream_wait(stream_.get()), "could not wait for a stream");
  std::vector<float> values(static_cast<std::size_t>(result_elements_),
                            std::numeric_limits<float>::quiet_NaN());
  std::span<float> rest(values);
  for (const Tensor& result : results_) {
    const std::int64_t read_elements = read(result, rest);
    if (results_.size() > 1) rest = rest.subspan(static_cast<std::size_t>(read_elements));
  }
  return values;
}

std::int64_t PlannedCall::read(const Tensor& result, std::span<float> target) {
  const Memory::desc& format = result.argument.values;
  const std::int64_t count = element_count(api::dims(format));
  if (!result.argument.rearrange) {
    convert(stream_, seen(result), Memory(format, engine_, target.data()));
    return count;
  }
  std::vector<float> library_order(static_cast<std::size_t>(count));
  convert(stream_, seen(result), Memory(format, engine_, library_order.data()));
  const std::vector<float> ours = result.argument.rearrange(library_order);
  std::copy(ours.begin(), ours.end(), target.begin());
  return static_cast<std::int64_t>(ours.size());
}

}  // namespace benanza::onednn
