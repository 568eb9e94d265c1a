#include "suites/plan/values.h"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace benanza::plan {

Values::Values(const std::filesystem::path& path) : file_(path) {
  const std::string_view bytes = file_.bytes();
  const auto error = [&](const std::string& reason) {
    return Error(path.string() + ": " + reason + "; write it with scripts/plan-values");
  };
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) throw error("is no file of tensors");
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > bytes.size() - sizeof(length)) throw error("is no file of tensors, or cut short");
  const std::string_view data = bytes.substr(sizeof(length) + length);
  try {
    const auto header = nlohmann::json::parse(bytes.substr(sizeof(length), length));
    for (const auto& [name, tensor] : header.items()) {
      if (name == "__metadata__") continue;
      if (tensor.at("dtype") != "F32") continue;
      const auto begin = tensor.at("data_offsets").at(0).get<std::uint64_t>();
      const auto end = tensor.at("data_offsets").at(1).get<std::uint64_t>();
      const bool aligned = reinterpret_cast<std::uintptr_t>(data.data() + begin) % 4 == 0;
      if (begin > end || end > data.size() || (end - begin) % 4 != 0 || !aligned) {
        throw error("tensor " + name + " is not in the file");
      }
      tensors_[name] = {reinterpret_cast<const float*>(data.data() + begin), (end - begin) / 4};
    }
  } catch (const nlohmann::json::exception&) {
    throw error("its header is damaged");
  }
}

std::optional<std::span<const float>> Values::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::byte> stored(std::span<const float> values, std::string_view precision) {
  const auto as_bytes = [&](auto convert) {
    using Stored = decltype(convert(0.0F));
    std::vector<std::byte> bytes(values.size() * sizeof(Stored));
    for (std::size_t index = 0; index < values.size(); ++index) {
      const Stored value = convert(values[index]);
      std::memcpy(bytes.data() + index * sizeof(Stored), &value, sizeof(Stored));
    }
    return bytes;
  };
  if (precision == "fp32") return as_bytes([](float value) { return value; });
  if (precision == "bf16") {
    return as_bytes([](float value) {
      const auto bits = std::bit_cast<std::uint32_t>(value);
      // To the nearest; ties to even.
      return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    });
  }
#ifdef __FLT16_MAX__
  if (precision == "fp16")
    return as_bytes([](float value) { return static_cast<_Float16>(value); });
#endif
  throw Error("plans of " + std::string(precision) + " do not run yet");
}

std::vector<float> floats_of(std::span<const std::byte> bytes, std::string_view precision) {
  const auto as_floats = [&]<class Stored>(Stored, auto convert) {
    std::vector<float> values(bytes.size() / sizeof(Stored));
    for (std::size_t index = 0; index < values.size(); ++index) {
      Stored value{};
      std::memcpy(&value, bytes.data() + index * sizeof(Stored), sizeof(Stored));
      values[index] = convert(value);
    }
    return values;
  };
  if (precision == "fp32") return as_floats(0.0F, [](float value) { return value; });
  if (precision == "bf16") {
    return as_floats(std::uint16_t{}, [](std::uint16_t value) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
    });
  }
#ifdef __FLT16_MAX__
  if (precision == "fp16")
    return as_floats(_Float16{}, [](_Float16 value) { return static_cast<float>(value); });
#endif
  throw Error("plans of " + std::string(precision) + " do not run yet");
}

std::vector<std::byte> stored_indices(std::span<const float> values, int index_bytes,
                                      std::int64_t rows) {
  const auto size = static_cast<std::size_t>(index_bytes);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t place = 0; place < values.size(); ++place) {
    const auto value = static_cast<std::int64_t>(values[place]);
    if (static_cast<float>(value) != values[place]) throw Error("an index is no whole number");
    if (value < -rows || value >= rows) {
      throw Error("index " + std::to_string(value) + " of " + std::to_string(rows) + " rows");
    }
    // The low bytes come first on the processors that this runs on.
    std::memcpy(bytes.data() + place * size, &value, size);
  }
  return bytes;
}

}  // namespace benanza::plan
