#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"

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

}  // namespace benanza::plan
