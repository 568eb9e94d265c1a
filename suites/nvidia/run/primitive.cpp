#include "suites/nvidia/run/primitive.h"

#include <algorithm>
#include <random>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/tensor_format.h"

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

harness::MemoryFormat memory_format(const TensorFormat& format) {
  harness::MemoryFormat made{.name = {}, .description = format};
  Dims meaningful;
  Dims dense;
  const Dims row_major = dense_strides(format.dims);
  for (std::size_t axis = 0; axis < format.dims.size(); ++axis) {
    if (format.dims[axis] == 1) continue;
    meaningful.push_back(format.strides[axis]);
    dense.push_back(row_major[axis]);
  }
  if (meaningful != dense) made.name = join(format.dims, 'x') + ":s" + join(format.strides, '.');
  return made;
}

/// Of tensor `index`.
void convert(std::vector<float>& values, const std::vector<StoredOtherwise>& all,
             std::size_t index) {
  for (const StoredOtherwise& one : all) {
    if (one.index == index) std::ranges::transform(values, values.begin(), one.convert);
  }
}

}  // namespace

CudaPrimitive::CudaPrimitive(CudaContext& context, harness::Operands& places, CallSetup setup)
    : context_(context),
      facts_(std::move(setup.facts)),
      to_library_value_(std::move(setup.to_library_value)),
      encoded_(std::move(setup.encoded)),
      to_problem_value_(std::move(setup.to_problem_value)),
      workspace_bytes_(setup.workspace_bytes),
      handle_workspace_bytes_(setup.handle_workspace_bytes) {
  for (TensorFormat& format : setup.inputs) {
    const std::int64_t bytes = span_bytes(format);
    const std::size_t index = inputs_.size();
    std::byte* const place =
        places.operand(setup.operands.empty() ? index : setup.operands.at(index),
                       bytes + setup.spare_bytes, memory_format(format));
    inputs_.push_back({std::move(format), DeviceMemory::lent(place, bytes)});
  }
  for (TensorFormat& format : setup.results) {
    const std::int64_t bytes = span_bytes(format);
    std::byte* const place =
        places.result(results_.size(), bytes + setup.spare_bytes, memory_format(format));
    results_.push_back({std::move(format), DeviceMemory::lent(place, bytes)});
  }
  if (workspace_bytes_ == 0) return;
  workspace_ = places.scratch(workspace_bytes_);
  if (workspace_ != nullptr) return;
  workspace_of_context_ = context.workspace(workspace_bytes_);
  workspace_ = workspace_of_context_->data();
}

CudaPrimitive::~CudaPrimitive() { context_.stopwatch().forget(*this); }

void CudaPrimitive::upload(std::size_t index, std::span<const float> values) {
  Tensor& tensor = inputs_.at(index);
  if (const auto found = std::ranges::find(encoded_, index, &Encoded::index);
      found != encoded_.end()) {
    context_.operands().write(values, tensor.format, tensor.memory, stream(), found->encode);
    return;
  }
  std::vector<float> converted;
  if (std::ranges::find(to_library_value_, index, &StoredOtherwise::index) !=
      to_library_value_.end()) {
    converted.assign(values.begin(), values.end());
    convert(converted, to_library_value_, index);
    values = converted;
  }
  context_.operands().write(values, tensor.format, tensor.memory, stream());
}

void CudaPrimitive::poison_output() {
  for (Tensor& result : results_) {
    result.memory.fill(poison_byte(result.format.precision), stream());
  }
}

std::vector<float> CudaPrimitive::download() {
  std::vector<float> all;
  for (std::size_t index = 0; index < results_.size(); ++index) {
    const Tensor& result = results_[index];
    std::vector<std::byte> bytes(static_cast<std::size_t>(result.memory.size_bytes()));
    result.memory.read(bytes, stream());
    std::vector<float> values = from_storage(bytes, result.format);
    convert(values, to_problem_value_, index);
    if (results_.size() == 1) return values;
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::optional<harness::Primitive::Glimpse> CudaPrimitive::glimpse(
    std::span<const std::int64_t> places) {
  const auto reads = [](const Tensor& result) { return ResultReader::reads(result.format); };
  if (!std::ranges::all_of(results_, reads)) return std::nullopt;
  ResultReader& reader = context_.results();
  Glimpse all{.values = std::vector<float>(places.size()), .poisoned = std::nullopt};
  std::int64_t begin = 0;
  for (std::size_t index = 0; index < results_.size(); ++index) {
    const TensorFormat& format = results_[index].format;
    const PlacesOfPart part = places_of_part(places, begin, element_count(format.dims));
    if (!part.places.empty()) {
      auto values = reader.values(result(index), format, part.places, stream());
      convert(values, to_problem_value_, index);
      for (std::size_t i = 0; i < values.size(); ++i) all.values[part.indices[i]] = values[i];
    }
    if (!all.poisoned) {
      const auto poisoned = reader.not_a_number(result(index), format, stream());
      if (poisoned) all.poisoned = begin + *poisoned;
    }
    begin += element_count(format.dims);
  }
  return all;
}

PlacesOfPart places_of_part(std::span<const std::int64_t> places, std::int64_t begin,
                            std::int64_t count) {
  PlacesOfPart part;
  for (std::size_t index = 0; index < places.size(); ++index) {
    const std::int64_t place = places[index] - begin;
    if (place < 0 || place >= count) continue;
    part.places.push_back(place);
    part.indices.push_back(index);
  }
  return part;
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
  facts.merge(Facts(facts_));
  if (shares_workspace()) facts["shares_workspace"] = true;
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
