#pragma once

#include <optional>
#include <span>
#include <vector>

#include "suites/cudnn/primitive/cudnn_primitive.h"

namespace benanza::cudnn {

/// A primitive with a result or more, which download() shows one after the other.
class SeveralResults : public CudnnPrimitive {
 public:
  /// `results`: one at least, in the order of the problem's.
  SeveralResults(Library& library, const harness::Variant& variant,
                 std::vector<nvidia::TensorFormat> inputs,
                 std::vector<nvidia::TensorFormat> results, std::int64_t workspace_bytes = 0);

  void poison_output() override;
  std::vector<float> download() override;
  /// Empty where there is more than one result.
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override;

 protected:
  std::byte* result(std::size_t index) const;
  /// The problem's value for what the library stored as an element of result `index`.
  virtual float told(std::size_t /*index*/, float stored) const { return stored; }

 private:
  struct Further {
    nvidia::TensorFormat format;
    nvidia::DeviceMemory memory;
  };
  /// All but the first.
  std::vector<Further> further_;
};

/// What the library keeps of a variance: 1 / sqrt(variance + epsilon).
float inverse_deviation(float variance, float epsilon);
std::vector<float> inverse_deviations(std::span<const float> variances, float epsilon);
/// And back.
float variance_of(float inverse_deviation, float epsilon);

}  // namespace benanza::cudnn
