#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tests/folder.h"

namespace benanza::plan::test {

/// Writes tensors as a file of bench_plan --values.
inline std::filesystem::path write_values(
    const benanza::test::Folder& folder, const std::string& name,
    const std::map<std::string, std::vector<float>>& tensors) {
  nlohmann::json header = nlohmann::json::object();
  std::string data;
  for (const auto& [tensor, values] : tensors) {
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    header[tensor] = {
        {"dtype", "F32"}, {"shape", {values.size()}}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  return folder.write(name, std::string(reinterpret_cast<const char*>(&length), 8) + text + data);
}

}  // namespace benanza::plan::test
