#pragma once

#include <string_view>

namespace benanza::analysis {

/// A model of the paper. `layers`: nodes that are no constants, each once, in the tables of its
/// models (the paper's 5,754 count eight second outputs of Dropout nodes, too).
struct PaperModel {
  std::string_view id;
  std::string_view task;
  int layers = 0;
};

/// By benanza-zoo's name of it; null for a model that is not of the paper.
const PaperModel* paper_model(std::string_view id);

}  // namespace benanza::analysis
