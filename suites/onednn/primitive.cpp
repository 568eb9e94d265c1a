#include "onednn/primitive.h"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "onednn/checked.h"

namespace benanza::onednn {
namespace {

void convert(const dnnl::stream& stream, Memory from, Memory to) {
  checked("conversion of values", [&] {
    dnnl::reorder(from, to).execute(stream, from, to);
    dnnl::stream(stream).wait();
  });
}

}  // namespace

PlannedPrimitive::PlannedPrimitive(const Plan& plan, const dnnl::engine& engine,
                                   const dnnl::stream& stream, std::int64_t result_elements)
    : engine_(engine), stream_(stream), result_elements_(result_elements) {
  primitive_ = checked("creation of the primitive",
                       [&] { return dnnl::primitive(plan.offer.current().get()); });
  for (const Argument& argument : plan.operands) operands_.push_back(allocate(plan, argument));
  result_ = allocate(plan, plan.result);
  const Memory::desc scratch = plan.offer.current().scratchpad_desc();
  if (scratch.get_size() > 0) {
    scratchpad_ = checked("scratch memory", [&] { return Memory(scratch, engine_); });
    arguments_.push_back({DNNL_ARG_SCRATCHPAD, scratchpad_.get()});
    workspace_bytes_ = static_cast<std::int64_t>(scratch.get_size());
  }
}

PlannedPrimitive::Tensor PlannedPrimitive::allocate(const Plan& plan, const Argument& argument) {
  const Memory::desc wanted = plan.offer.current().query_md(dnnl::query::exec_arg_md, argument.id);
  if (wanted.get_size() == 0) {
    throw std::runtime_error("oneDNN does not take argument " + std::to_string(argument.id));
  }
  Memory memory = checked("memory", [&] { return Memory(wanted, engine_); });
  arguments_.push_back({argument.id, memory.get()});
  return {memory, argument.values, argument.copies};
}

void PlannedPrimitive::upload(std::size_t index, std::span<const float> values) {
  const Tensor& operand = operands_.at(index);
  std::vector<float> repeated;
  for (std::int64_t copy = 0; operand.copies > 1 && copy < operand.copies; ++copy) {
    repeated.insert(repeated.end(), values.begin(), values.end());
  }
  if (!repeated.empty()) values = repeated;
  // The library reads through a pointer to mutable values.
  const Memory source(operand.values, engine_, const_cast<float*>(values.data()));
  convert(stream_, source, operand.memory);
}

void PlannedPrimitive::poison_output() {
  const Memory::desc format = result_.memory.get_desc();
  // All bits set is not a number in every floating type; 0x80 is -128.
  const int byte = format.data_type() == Memory::data_type::s8 ? 0x80 : 0xFF;
  std::memset(result_.memory.get_data_handle(), byte, format.get_size());
}

void PlannedPrimitive::run() {
  check(dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()),
                               arguments_.data()),
        "could not execute a primitive");
}

std::vector<float> PlannedPrimitive::download() {
  check(dnnl_stream_wait(stream_.get()), "could not wait for a stream");
  std::vector<float> values(static_cast<std::size_t>(result_elements_),
                            std::numeric_limits<float>::quiet_NaN());
  const Memory target(result_.values, engine_, values.data());
  convert(stream_, result_.memory, target);
  return values;
}

}  // namespace benanza::onednn
