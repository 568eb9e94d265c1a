#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/plan_file/plan.h"

namespace benanza::plan {

/// Tensors by name, from a file in the format of safetensors: the length of a JSON header in eight
/// bytes, the header ({"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}), the
/// data. Only F32.
class Values {
 public:
  /// Throws Error, one line, if the file is none or has other types.
  explicit Values(const std::filesystem::path& path);

  /// Empty if there is none of this name. Lives as long as this object.
  std::optional<std::span<const float>> find(std::string_view name) const;

 private:
  MappedFile file_;
  std::map<std::string, std::span<const float>, std::less<>> tensors_;
};

/// The values in a precision of floats, as they lie in memory. Throws Error for another one.
std::vector<std::byte> stored(std::span<const float> values, std::string_view precision);

/// The inverse of stored().
std::vector<float> floats_of(std::span<const std::byte> bytes, std::string_view precision);

/// Indices of `rows` rows, negative ones from the end, as signed integers of 4 or 8 bytes. Throws
/// Error for what is no whole number or no row.
std::vector<std::byte> stored_indices(std::span<const float> values, int index_bytes,
                                      std::int64_t rows);

/// The constants and inputs of a plan: those of a file, or random ones.
class ModelValues {
 public:
  /// `file`: null for random values. Both must outlive this.
  ModelValues(const Plan& plan, const Values* file);

  /// In float; lives as long as this. Throws Error if the file does not have the tensor, or if it
  /// has no known extents.
  std::span<const float> of(std::size_t tensor);
  /// As they lie in memory, part after part: take(bytes). Infinity where a tensor hides.
  void stored(std::size_t tensor, const std::function<void(std::span<const std::byte>)>& take);
  /// The fewest rows of those that the tensor's elements choose from.
  std::int64_t rows_chosen_by(std::size_t tensor) const;

 private:
  const Plan* plan_;
  const Values* file_;
  /// Random values for the largest tensor. The others take the first of them.
  std::unique_ptr<float[]> random_;
  std::map<std::size_t, std::vector<float>> indices_;
};

}  // namespace benanza::plan
