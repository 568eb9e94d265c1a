#include "suites/plan/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/at_once.h"
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

namespace {

constexpr std::int64_t block = 1 << 20;

std::int64_t blocks_of(std::int64_t count) { return (count + block - 1) / block; }

/// Calls work(begin, end) for blocks of [0, count), several at a time.
template <class Work>
void in_blocks(std::int64_t count, const Work& work) {
  at_once(static_cast<std::size_t>(blocks_of(count)), [&](std::size_t index) {
    const std::int64_t begin = static_cast<std::int64_t>(index) * block;
    work(begin, std::min(count, begin + block));
  });
}

/// From 0.005 to 0.05: sums of many products stay in the range of fp16. Of the place alone, by the
/// finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
float random_value(std::int64_t place) {
  std::uint64_t bits = static_cast<std::uint64_t>(place + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
  bits ^= bits >> 31U;
  const float part = static_cast<float>(bits >> 40U) * 0x1p-24F;
  return 0.005F + 0.045F * part;
}

/// Makes of random values whole numbers below `rows`.
std::vector<float> indices(std::span<const float> values, std::int64_t rows) {
  // Larger ones are not exact as floats.
  const auto range = static_cast<float>(std::min(rows, std::int64_t{1} << 24));
  std::vector<float> chosen(values.begin(), values.end());
  for (float& value : chosen) value = std::min(std::floor(value * 20 * range), range - 1);
  return chosen;
}

}  // namespace

ModelValues::ModelValues(const Plan& plan, const Values* file) : plan_(&plan), file_(file) {
  if (file != nullptr) return;
  std::int64_t most = 0;
  for (const PlanTensor& tensor : plan.tensors) {
    if (!tensor.buffer && tensor.shape) most = std::max(most, element_count(*tensor.shape));
  }
  for (const std::size_t input : plan.inputs) {
    most = std::max(most, element_count(plan.tensors[input].shape.value_or(Dims{})));
  }
  // Not std::vector, whose pages one thread would touch first.
  random_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(most));
  in_blocks(most, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) random_[place] = random_value(place);
  });
}

std::span<const float> ModelValues::of(std::size_t tensor) {
  const PlanTensor& one = plan_->tensors[tensor];
  if (file_ != nullptr) {
    const auto found = file_->find(one.name);
    if (!found) throw Error("the file of values has no " + one.name);
    return *found;
  }
  if (!one.shape) throw Error(one.name + ": its extents are not known");
  const std::span<const float> values(random_.get(),
                                      static_cast<std::size_t>(element_count(*one.shape)));
  if (!is_index_type(one.type)) return values;
  const auto [place, is_new] = indices_.try_emplace(tensor);
  if (is_new) place->second = indices(values, rows_chosen_by(tensor));
  return place->second;
}

void ModelValues::stored(std::size_t tensor,
                         const std::function<void(std::span<const std::byte>)>& take) {
  const std::span<const float> values = of(tensor);
  if (is_index_type(plan_->tensors[tensor].type)) {
    const auto size = static_cast<int>(element_bytes_of(*plan_, tensor));
    return take(stored_indices(values, size, rows_chosen_by(tensor)));
  }
  const bool hides = plan_->tensors[tensor].hides;
  const auto part = [&](std::int64_t first) {
    const auto begin = static_cast<std::size_t>(first * block);
    const auto some = values.subspan(begin, std::min<std::size_t>(block, values.size() - begin));
    if (!hides) return plan::stored(some, plan_->precision);
    std::vector<float> added(some.size());
    std::ranges::transform(some, added.begin(), [](float value) {
      return value == 0 ? -std::numeric_limits<float>::infinity() : 0.0F;
    });
    return plan::stored(added, plan_->precision);
  };
  const std::int64_t all = blocks_of(static_cast<std::int64_t>(values.size()));
  constexpr std::int64_t together = 64;
  for (std::int64_t first = 0; first < all; first += together) {
    std::vector<std::vector<std::byte>> parts(
        static_cast<std::size_t>(std::min(together, all - first)));
    at_once(parts.size(), [&](std::size_t index) {
      parts[index] = part(first + static_cast<std::int64_t>(index));
    });
    for (const auto& bytes : parts) take(bytes);
  }
}

std::int64_t ModelValues::rows_chosen_by(std::size_t tensor) const {
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  for (const PlanStep& step : plan_->steps) {
    if (!step.work.gather) continue;
    const std::size_t read = step.work.operands.at(1).index;
    const bool is_same =
        read == tensor || (plan_->tensors[read].buffer &&
                           plan_->tensors[read].buffer == plan_->tensors[tensor].buffer);
    if (is_same) rows = std::min(rows, step.work.gather->extent);
  }
  return rows;
}

}  // namespace benanza::plan
