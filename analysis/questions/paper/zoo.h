#pragma once

#include <string_view>

namespace benanza::analysis {

/// A model of the paper. `layers`: non-constant nodes, each once, in the tables of its models (the
/// paper's 5,754 also count eight second outputs of Dropout nodes).
struct PaperModel {
  std::string_view id;
  std::string_view task;
  int layers = 0;
};

/// Looks a model up by its benanza-zoo name; null if it is not in the paper.
const PaperModel* paper_model(std::string_view id);

}  // namespace benanza::analysis
