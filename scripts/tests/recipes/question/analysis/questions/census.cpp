// benanza-analyze census: the number of layers of each operator of a model.
#include <map>

#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

std::optional<Section> census_section(const Subject& subject) {
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  std::map<std::string, std::size_t> layers;
  for (const Layer& layer : subject.graph.layers) ++layers[layer.op];
  using Row = std::pair<const std::string, std::size_t>;
  const Table<Row> table{{"op", "op", &Row::first}, {"layers", "layers", &Row::second}};
  section.add(table.sheet(layers, {.name = "operators"}));
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
