// The fastest kind of algorithm for each convolution.

#include <fmt/format.h>

#include <map>
#include <utility>

#include "analysis/model/algorithms.h"
#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"
#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

/// With fewer convolutions a map shows no more than the table.
constexpr std::size_t fewest_on_a_map = 8;

std::string kernel_of(const Convolution& shape) {
  std::string text = join(shape.window.kernel, 'x');
  if (shape.groups > 1) text += shape.groups == shape.input[1] ? ", depthwise" : ", grouped";
  return text;
}

/// The fastest call of a convolution.
struct Winner {
  Convolution shape{};
  const Measurement* call = nullptr;

  std::string kernel() const { return kernel_of(shape); }
  AlgorithmKind kind() const { return kind_of(call->variant); }
};

/// In the order of their keys.
std::vector<Winner> winners(const std::vector<const StudiedModel*>& models) {
  std::map<std::string, Convolution> shapes;
  for (const StudiedModel* model : models) {
    for (const Layer& layer : model->subject().graph.layers) {
      for (const std::string& key : layer.problems) {
        if (asks_for<Convolution>(key))
          shapes.emplace(key, std::get<Convolution>(parse(key).shape));
      }
    }
  }
  std::vector<Winner> found;
  for (const auto& [key, shape] : shapes) {
    const Subject& subject = models.front()->subject();
    const MeasurementFilter& filter = subject.filter;
    const Selected selected =
        select_measurement(key, subject.inputs.results.measurements, filter, filter.precision);
    if (selected.best != nullptr) found.push_back({shape, selected.best});
  }
  return found;
}

/// Maps of the winning kinds: a point per convolution, by products per output and number of
/// outputs.
using Maps = std::map<std::string, Roofline>;

void add_point(Maps& maps, const Winner& winner, const std::string& word) {
  const std::string kernel = winner.kernel();
  const Convolution& shape = winner.shape;
  Roofline& map = maps[kernel];
  if (map.points.empty()) {
    map.title = "Fastest algorithm of " + kernel + " convolutions, " + word;
    map.x_name = "products summed up for each output: kernel x channels of a group";
    map.y_name = "outputs of a filter: batch x pixels";
    for (const AlgorithmKind kind : algorithm_kinds) map.series.emplace_back(to_string(kind));
  }
  const Dims outputs = output({.shape = shape, .epilogue = {}});
  std::int64_t summed = shape.input[1] / shape.groups;
  for (const std::int64_t extent : shape.window.kernel) summed *= extent;
  const auto pixels = element_count(outputs) / outputs[1];
  map.points.push_back(
      {.x = static_cast<double>(summed),
       .y = static_cast<double>(pixels),
       .weight = winner.call->seconds(),
       .label = fmt::format("{} filters: {}", shape.filters, to_string(winner.kind())),
       .series = static_cast<std::size_t>(winner.kind())});
}

Sheet winners_sheet(const std::vector<Winner>& rows, const std::string& word) {
  using Row = Winner;
  const Table<Row> table{
      {"kernel", "kernel", &Row::kernel},
      {"n", "n", [](const Row& row) { return row.shape.input[0]; }},
      {"c", "c", [](const Row& row) { return row.shape.input[1]; }},
      {"k", "k", [](const Row& row) { return row.shape.filters; }},
      {"h", "h", [](const Row& row) { return row.shape.input[2]; }},
      {"us", "seconds", micro, [](const Row& row) { return row.call->seconds(); }},
      {"kind", "kind", &Row::kind},
      {"call", "call", [](const Row& row) { return call_text(row.call); }}};
  return table.sheet(rows, {.name = "winners_" + word,
                            .caption = "Fastest algorithm of every convolution, " + word});
}

/// Convolutions by kernel, batch and kind.
Bars kernels_plot(const std::vector<Winner>& rows, const std::string& word) {
  std::map<std::pair<std::string, std::int64_t>, std::map<AlgorithmKind, double>> by_kernel;
  for (const Winner& row : rows) ++by_kernel[{row.kernel(), row.shape.input[0]}][row.kind()];
  Bars plot{.title = "Convolutions by kernel, and what computes them fastest, " + word,
            .decimals = 0,
            .stacked = true};
  for (const AlgorithmKind kind : algorithm_kinds) {
    plot.series.push_back({.name = std::string(to_string(kind))});
  }
  for (const auto& [kernel, counts] : by_kernel) {
    plot.categories.push_back(kernel.first + ", batch " + std::to_string(kernel.second));
    for (const AlgorithmKind kind : algorithm_kinds) {
      const auto entry = counts.find(kind);
      plot.series[static_cast<std::size_t>(kind)].values.push_back(
          entry == counts.end() ? 0 : entry->second);
    }
  }
  return plot;
}

void paper_winners_add_precision(Section& section, const AtPrecision& at) {
  const std::vector<Winner> rows = winners(at.models);
  if (rows.empty()) return;
  section.add(kernels_plot(rows, at.word));
  Maps maps;
  for (const Winner& row : rows) add_point(maps, row, at.word);
  for (auto& [kernel, map] : maps) {
    if (map.points.size() >= fewest_on_a_map) section.add(std::move(map));
  }
  section.add(winners_sheet(rows, at.word));
}

}  // namespace

Chapter winners_chapter() {
  return {
      .title = "Convolution algorithms",
      .introduction =
          "Every distinct convolution of the models, and the kind of algorithm that is fastest for "
          "it. On the maps, the area of a point is the time of its call.",
      .add = paper_winners_add_precision,
      .place = 35};
}

}  // namespace benanza::analysis
