#include "models/zoo/zoo.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"

namespace benanza::zoo {
namespace {

/// The Levenshtein distance of a and b: the fewest insertions, deletions and replacements of a
/// character that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// Keeps only letters and digits, in lower case: "ResNet-50 v1" and "resnet50_v1" become equal.
std::string plain(std::string_view text) {
  std::string result;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0) {
      result += static_cast<char>(std::tolower(c));
    }
  }
  return result;
}

/// Distance of `text` from the nearer of the model's names; 0 if it starts one of them and has at
/// least 3 characters.
std::size_t distance(const Model& model, const std::string& text) {
  const std::string id = plain(model.id);
  const std::string paper_name = plain(model.paper_name);
  if (text.size() >= 3 && (id.starts_with(text) || paper_name.starts_with(text))) {
    return 0;
  }
  return std::min(edit_distance(text, id), edit_distance(text, paper_name));
}

}  // namespace

std::vector<Model> models() {
  std::vector<Model> all = families();
  std::ranges::sort(all, {}, &Model::id);
  return all;
}

Model find(std::string_view id) {
  constexpr std::size_t near = 3;
  constexpr std::size_t most = 5;
  const std::string text = plain(id);
  std::vector<std::pair<std::size_t, std::string>> candidates;
  for (const Model& model : models()) {
    if (model.id == id) {
      return model;
    }
    const std::size_t d = distance(model, text);
    if (d <= near && d < text.size()) {
      candidates.emplace_back(d, model.id);
    }
  }
  std::ranges::sort(candidates);
  std::string message = "no model \"" + std::string(id) + "\" in the zoo; ";
  if (candidates.empty()) {
    throw Error(message + "benanza-zoo --list shows them all");
  }
  message += "did you mean ";
  for (std::size_t i = 0; i < std::min(candidates.size(), most); ++i) {
    message += (i == 0 ? "" : ", ") + candidates[i].second;
  }
  throw Error(message + "?");
}

::onnx::ModelProto build(const Model& model, const BuildOptions& options) {
  constexpr std::int64_t largest_batch = 65536;
  if (options.batch < 1 || options.batch > largest_batch) {
    throw Error("batch " + std::to_string(options.batch) + " is out of range; give 1 to " +
                std::to_string(largest_batch));
  }
  ModelBuilder builder(model.id, options);
  model.build(builder);
  return builder.take();
}

Size size(const Model& model) {
  ModelBuilder builder(model.id, {});
  model.build(builder);
  return {.layers = builder.layers(), .parameters = builder.parameters()};
}

}  // namespace benanza::zoo
