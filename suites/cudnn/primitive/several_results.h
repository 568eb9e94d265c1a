#pragma once

#include <optional>
#include <span>
#include <vector>

#include "suites/cudnn/primitive/cudnn_primitive.h"

namespace benanza::cudnn {

/// A primitive with one or more results, which download() returns concatenated.
class SeveralResults : public CudnnPrimitive {
 public:
  /// `results` are in the order of the problem's, at least one.
  SeveralResults(Library& library, const harness::Variant& variant,
                 std::vector<nvidia::TensorFormat> inputs,
                 std::vector<nvidia::TensorFormat> results, std::int64_t workspace_bytes = 0);

  void poison_output() override;
  std::vector<float> download() override;
  /// Places are indices into the concatenated results.
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override;

 protected:
  std::byte* result(std::size_t index) const;
  /// Converts an element that the library stored in result `index` to the problem's value.
  virtual float told(std::size_t /*index*/, float stored) const { return stored; }

 private:
  struct Further {
    nvidia::TensorFormat format;
    nvidia::DeviceMemory memory;
  };
  nvidia::TensorFormat first_;
  /// All but the first.
  std::vector<Further> further_;
};

/// The elements of `places` in [begin, begin + count), relative to `begin`, and their indices in
/// `places`.
struct PlacesOfPart {
  std::vector<std::int64_t> places;
  std::vector<std::size_t> indices;
};
PlacesOfPart places_of_part(std::span<const std::int64_t> places, std::int64_t begin,
                            std::int64_t count);

/// The library's representation of a variance: 1 / sqrt(variance + epsilon).
float inverse_deviation(float variance, float epsilon);
std::vector<float> inverse_deviations(std::span<const float> variances, float epsilon);
/// The reverse.
float variance_of(float inverse_deviation, float epsilon);

}  // namespace benanza::cudnn
