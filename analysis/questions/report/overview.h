#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/questions/common/inputs.h"
#include "analysis/render/page.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

/// All models side by side: one row per model and precision, one column per headline of its
/// chapters, and the headlines' plots; of several precisions also the bounds, one row per model.
class Overview {
 public:
  /// `model`: with its batch.
  void add_model(const std::string& model, Precision precision);
  /// Adds a headline of the model added last.
  void add(const Headline& headline);
  Section section() &&;

 private:
  using Cells = std::map<std::string, Cell>;

  std::vector<std::string> names() const;
  Sheet headlines() const;
  Sheet by_precision() const;

  std::vector<std::pair<std::string, Precision>> models_;
  std::vector<std::string> columns_;
  /// One for each of `models_`.
  std::vector<Cells> rows_;
  std::vector<Bars> plots_;
};

/// The layers of one model at each precision that was asked for, side by side; empty if there is
/// one alone.
std::optional<Section> precisions_section(const Inputs& inputs, const Graph& graph);

}  // namespace benanza::analysis
