#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace benanza {

/// One operator as a framework ran it.
struct ProfiledNode {
  /// As the framework calls it.
  std::string name{};
  /// The model's node or tensor it was made from, as far as its name tells; else equal to `name`.
  std::string origin{};
  /// ONNX operator that does most of its work, e.g. "Conv" for a fused convolution.
  std::string op{};
  /// Seconds per run of the model: the median over the profiled runs.
  double seconds = 0;
};

/// What a framework really did with a model.
struct Profile {
  std::filesystem::path path{};
  std::string framework{};
  std::string version{};
  std::string model{};
  std::optional<std::int64_t> batch{};
  std::string precision{};
  std::optional<std::int64_t> threads{};
  /// Model of the processor or accelerator; empty if the profile does not say.
  std::string device{};
  /// Seconds per run, the framework's profiler off. Not empty.
  std::vector<double> latency_seconds{};
  /// In the order they ran.
  std::vector<ProfiledNode> nodes{};
};

/// A framework's file format. Every .cpp file of this folder defines one, as
/// `Importer <file name>_importer()`; nothing else has to know of it.
struct Importer {
  std::string_view framework;
  bool (*recognises)(const nlohmann::json& root);
  /// May throw Error and nlohmann::json::exception.
  Profile (*import)(const Document& document);
};

/// Every framework's, in the order of their names. Generated from the files of this folder.
std::vector<Importer> importers();

}  // namespace benanza
