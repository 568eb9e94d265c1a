#include "suites/nvidia/run/primitive.h"

#include <algorithm>
#include <random>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/convert.h"

namespace benanza::nvidia {

namespace {

/// Not a power of two, so that the rows of a matrix differ.
constexpr std::int64_t random_values = 65537;

void fill_at_random(DeviceMemory& memory, Precision precision, cudaStream_t stream) {
  std::minstd_rand random(2020);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const float range = precision == Precision::int8 ? 127 : 1;
  std::vector<float> values(random_values);
  for (float& value : values) value = range * uniform(random);
  std::vector<std::byte> bytes =
      to_storage(values, tensor_format(precision, {random_values}, Layout::plain));
  const std::int64_t size = memory.size_bytes();
  std::int64_t filled = std::min<std::int64_t>(size, static_cast<std::int64_t>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(filled));
  memory.write(bytes, stream);
  while (filled < size) {
    const std::int64_t more = std::min(filled, size - filled);
    check(cudaMemcpyAsync(memory.data() + filled, memory.data(), static_cast<std::size_t>(more),
                          cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
    filled += more;
  }
}

/// At `place` or, if that is null, memory of its own.
DeviceMemory block(std::byte* place, std::int64_t bytes) {
  return place == nullptr ? DeviceMemory(bytes) : DeviceMemory::lent(place, bytes);
}

}  // namespace

CudaPrimitive::CudaPrimitive(CudaContext& context, std::vector<TensorFormat> inputs,
                             TensorFormat output, std::int64_t workspace_bytes)
    : context_(context), workspace_bytes_(workspace_bytes) {
  inputs_.reserve(inputs.size());
  for (TensorFormat& format : inputs) {
    const std::int64_t bytes = span_bytes(format);
    const harness::SharedPlaces* const shared = context.shared();
    DeviceMemory memory =
        block(shared == nullptr ? nullptr : shared->operand(inputs_.size(), bytes), bytes);
    inputs_.push_back({.format = std::move(format), .memory = std::move(memory)});
  }
  const std::int64_t bytes = span_bytes(output);
  output_.memory =
      block(context.shared() == nullptr ? nullptr : context.shared()->result(bytes), bytes);
  output_.format = std::move(output);
  if (workspace_bytes > 0) workspace_ = context.workspace(workspace_bytes);
}

CudaPrimitive::~CudaPrimitive() { context_.stopwatch().forget(*this); }

void CudaPrimitive::upload(std::size_t index, std::span<const float> values) {
  Tensor& tensor = inputs_.at(index);
  context_.operands().write(values, tensor.format, tensor.memory, stream());
}

void CudaPrimitive::poison_output() {
  output_.memory.fill(poison_byte(output_.format.precision), stream());
}

std::vector<float> CudaPrimitive::download() {
  std::vector<std::byte> bytes(static_cast<std::size_t>(output_.memory.size_bytes()));
  output_.memory.read(bytes, stream());
  return from_storage(bytes, output_.format);
}

std::optional<harness::Primitive::Glimpse> CudaPrimitive::glimpse(
    std::span<const std::int64_t> places) {
  const TensorFormat& format = output_.format;
  if (!ResultReader::reads(format)) return std::nullopt;
  ResultReader& reader = context_.results();
  return Glimpse{.values = reader.values(output(), format, places, stream()),
                 .poisoned = reader.not_a_number(output(), format, stream())};
}

void CudaPrimitive::fill_inputs(Values values) {
  for (Tensor& tensor : inputs_) {
    tensor.memory.fill(0, stream());
    if (values == Values::random) fill_at_random(tensor.memory, tensor.format.precision, stream());
  }
}

void CudaPrimitive::guard(const Work& work, Precision precision, double arithmetic_saving) {
  if (!context_.peaks()) return;
  context_.stopwatch().expect_at_least(
      *this, least_seconds(*context_.peaks(), work, precision, arithmetic_saving));
}

Facts CudaPrimitive::facts() {
  Facts facts = context_.stopwatch().facts(*this);
  facts.merge(library_facts());
  return facts;
}

Facts CudaPrimitive::profile() {
  CudaStopwatch& stopwatch = context_.stopwatch();
  return context_.profiler().facts({.call = [this] { run(); },
                                    .replay = [&] { return stopwatch.replay(*this); },
                                    .recapture = [&] { return stopwatch.recapture(*this); },
                                    .prepare = [&] { stopwatch.prepare_as_timed(*this); },
                                    .cold = stopwatch.is_cold(*this)});
}

}  // namespace benanza::nvidia
