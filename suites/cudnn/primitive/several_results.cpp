#include "suites/cudnn/primitive/several_results.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "suites/nvidia/device/convert.h"

namespace benanza::cudnn {

SeveralResults::SeveralResults(Library& library, const harness::Variant& variant,
                               std::vector<nvidia::TensorFormat> inputs,
                               std::vector<nvidia::TensorFormat> results,
                               std::int64_t workspace_bytes)
    : CudnnPrimitive(library, variant, std::move(inputs), results.at(0), workspace_bytes) {
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
  if (!further_.empty()) return std::nullopt;
  return CudnnPrimitive::glimpse(places);
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
