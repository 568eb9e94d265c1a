#include "suites/cudnn/primitive/several_results.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/run/result_reader.h"

namespace benanza::cudnn {

SeveralResults::SeveralResults(Library& library, const harness::Variant& variant,
                               std::vector<nvidia::TensorFormat> inputs,
                               std::vector<nvidia::TensorFormat> results,
                               std::int64_t workspace_bytes)
    : CudnnPrimitive(library, variant, std::move(inputs), results.at(0), workspace_bytes),
      first_(results[0]) {
  for (std::size_t index = 1; index < results.size(); ++index) {
    nvidia::DeviceMemory memory(nvidia::span_bytes(results[index]));
    further_.push_back({.format = std::move(results[index]), .memory = std::move(memory)});
  }
}

void SeveralResults::poison_output() {
  CudnnPrimitive::poison_output();
  for (Further& one : further_) {
    one.memory.fill(nvidia::poison_byte(one.format.precision), stream());
  }
}

std::vector<float> SeveralResults::download() {
  std::vector<float> values = CudnnPrimitive::download();
  for (float& value : values) value = told(0, value);
  for (std::size_t index = 0; index < further_.size(); ++index) {
    const Further& one = further_[index];
    std::vector<std::byte> bytes(static_cast<std::size_t>(one.memory.size_bytes()));
    one.memory.read(bytes, stream());
    for (const float value : nvidia::from_storage(bytes, one.format)) {
      values.push_back(told(index + 1, value));
    }
  }
  return values;
}

std::optional<harness::Primitive::Glimpse> SeveralResults::glimpse(
    std::span<const std::int64_t> places) {
  std::vector<const nvidia::TensorFormat*> formats{&first_};
  for (const Further& one : further_) formats.push_back(&one.format);
  const auto reads = [](const auto* format) { return nvidia::ResultReader::reads(*format); };
  if (!std::ranges::all_of(formats, reads)) return std::nullopt;
  nvidia::ResultReader& reader = context().results();
  Glimpse all{.values = std::vector<float>(places.size()), .poisoned = std::nullopt};
  std::int64_t begin = 0;
  for (std::size_t index = 0; index < formats.size(); ++index) {
    const nvidia::TensorFormat& format = *formats[index];
    const PlacesOfPart part = places_of_part(places, begin, element_count(format.dims));
    if (!part.places.empty()) {
      const auto values = reader.values(result(index), format, part.places, stream());
      for (std::size_t i = 0; i < values.size(); ++i) {
        all.values[part.indices[i]] = told(index, values[i]);
      }
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

std::byte* SeveralResults::result(std::size_t index) const {
  return index == 0 ? output() : further_.at(index - 1).memory.data();
}

float inverse_deviation(float variance, float epsilon) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(variance) + static_cast<double>(epsilon)));
}

std::vector<float> inverse_deviations(std::span<const float> variances, float epsilon) {
  std::vector<float> values;
  values.reserve(variances.size());
  for (const float variance : variances) values.push_back(inverse_deviation(variance, epsilon));
  return values;
}

float variance_of(float inverse_deviation, float epsilon) {
  const double inverse = inverse_deviation;
  return static_cast<float>(1 / (inverse * inverse) - static_cast<double>(epsilon));
}

}  // namespace benanza::cudnn
