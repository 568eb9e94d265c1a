#include "suites/plan/values.h"

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

}  // namespace benanza::plan
