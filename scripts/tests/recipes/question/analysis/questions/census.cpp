// benanza-analyze census: the number of layers of each operator of a model.
#include <map>

#include "analysis/questions/question.h"

namespace benanza::analysis {
namespace {

std::optional<Section> census_section(const Subject& subject) {
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  std::map<std::string, std::size_t> layers;
  for (const Layer& layer : subject.graph.layers) ++layers[layer.op];
  Sheet sheet{.name = "operators",
              .caption = "",
              .columns = {{"op", "op"}, {"layers", "layers", true}},
              .rows = {}};
  for (const auto& [op, count] : layers) {
    sheet.rows.push_back({text_cell(op), count_cell(count)});
  }
  section.add(std::move(sheet));
  return section;
}

}  // namespace

Question census_question() {
  return {.name = "census",
          .help = "How many layers of each operator there are",
          .section = census_section,
          .chapter = "Census"};
}

}  // namespace benanza::analysis
