#include "analysis/questions/report/precisions.h"

#include <fmt/format.h>

#include "analysis/model/bounds.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// A model at one precision.
struct AtPrecision {
  std::string name{};
  /// Per layer; the layer does not count where it is empty.
  std::vector<std::optional<double>> seconds{};
  double sum = 0;
  bool partial = false;
};

AtPrecision at_precision(const Inputs& inputs, const Graph& graph,
                         const MeasurementFilter& filter) {
  const auto times =
      operator_times(graph, measurements_of(inputs, graph, filter), filter, inputs.movement);
  AtPrecision at{.name = std::string(to_string(filter.precision)),
                 .sum = sequential_seconds(counted_seconds(times, inputs.movement)),
                 .partial = is_partial(times, inputs.movement)};
  for (const LayerTime& time : times) {
    at.seconds.push_back(is_counted(time, inputs.movement) ? time.seconds : std::nullopt);
  }
  return at;
}

std::string sum_text(const AtPrecision& at, const AtPrecision& first) {
  const std::string text = milliseconds(at.sum) + (at.partial ? "  PARTIAL" : "");
  if (&at == &first || at.partial || first.partial || !(at.sum > 0)) return text;
  return text + fmt::format(", {:.2f} times as fast as {}", first.sum / at.sum, first.name);
}

Sheet layers_sheet(const Graph& graph, const std::vector<AtPrecision>& list) {
  std::vector<std::size_t> counted;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (std::ranges::any_of(list,
                            [&](const AtPrecision& at) { return at.seconds[layer].has_value(); })) {
      counted.push_back(layer);
    }
  }
  Table<std::size_t> table{
      {"layer", "", [&](std::size_t layer) { return graph.layers[layer].name; }},
      {"op", "", [&](std::size_t layer) { return graph.layers[layer].op; }}};
  for (const AtPrecision& at : list) {
    table.add({at.name + " us", "", micro, [&at](std::size_t layer) { return at.seconds[layer]; }});
  }
  const AtPrecision& first = list.front();
  for (const AtPrecision& at : list) {
    if (&at == &first) continue;
    table.add({first.name + " / " + at.name, "", times, [&](std::size_t layer) {
                 return quotient(first.seconds[layer], at.seconds[layer]);
               }});
  }
  return table.sheet(counted, {.caption = "layers at each precision; -: not in that bound",
                               .largest_by = 2,
                               .equal_ones = "layers"});
}

}  // namespace

std::optional<Section> precisions_section(const Inputs& inputs, const Graph& graph) {
  if (inputs.filters.size() < 2) return std::nullopt;
  std::vector<AtPrecision> list;
  for (const MeasurementFilter& filter : inputs.filters) {
    list.push_back(at_precision(inputs, graph, filter));
  }
  Section section{.heading = "precisions side by side", .group = title(graph)};
  for (const AtPrecision& at : list) section.add(Entry{at.name, sum_text(at, list.front())});
  section.add(layers_sheet(graph, list));
  return section;
}

}  // namespace benanza::analysis
