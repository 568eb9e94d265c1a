#include "suites/nvidia/run/primitive.h"

#include "suites/nvidia/device/convert.h"

namespace benanza::nvidia {

CudaPrimitive::CudaPrimitive(CudaContext& context, std::vector<TensorFormat> inputs,
                             TensorFormat output, std::int64_t workspace_bytes)
    : context_(context), workspace_bytes_(workspace_bytes) {
  inputs_.reserve(inputs.size());
  for (TensorFormat& format : inputs) {
    DeviceMemory memory(span_bytes(format));
    inputs_.push_back({.format = std::move(format), .memory = std::move(memory)});
  }
  output_.memory = DeviceMemory(span_bytes(output));
  output_.format = std::move(output);
  if (workspace_bytes > 0) workspace_ = context.workspace(workspace_bytes);
}

CudaPrimitive::~CudaPrimitive() { context_.stopwatch().forget(*this); }

void CudaPrimitive::upload(std::size_t index, std::span<const float> values) {
  Tensor& tensor = inputs_.at(index);
  tensor.memory.write(to_storage(values, tensor.format), stream());
}

void CudaPrimitive::poison_output() {
  output_.memory.fill(poison_byte(output_.format.precision), stream());
}

std::vector<float> CudaPrimitive::download() {
  std::vector<std::byte> bytes(static_cast<std::size_t>(output_.memory.size_bytes()));
  output_.memory.read(bytes, stream());
  return from_storage(bytes, output_.format);
}

void CudaPrimitive::clear_inputs() {
  for (Tensor& tensor : inputs_) tensor.memory.fill(0, stream());
}

void CudaPrimitive::guard(const Work& work, Precision precision, double arithmetic_saving) {
  if (!context_.peaks()) return;
  context_.stopwatch().expect_at_least(
      *this, least_seconds(*context_.peaks(), work, precision, arithmetic_saving));
}

Facts CudaPrimitive::facts() {
  Facts facts = context_.stopwatch().facts(*this);
  facts.merge(library_facts());
  facts.merge(context_.profiler().facts(
      {.call = [this] { run(); },
       .replay = [this] { return context_.stopwatch().replay(*this); },
       .recapture = [this] { return context_.stopwatch().recapture(*this); }}));
  return facts;
}

}  // namespace benanza::nvidia
