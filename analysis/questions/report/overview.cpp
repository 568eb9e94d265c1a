#include "analysis/questions/report/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/model/bounds.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// Of the precisions side by side.
constexpr const char* compared = "LBL sequential ms";

template <class Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// A model at one precision.
struct PrecisionTimes {
  std::string name{};
  /// Per layer; the layer does not count where it is empty.
  std::vector<std::optional<double>> seconds{};
  double sum = 0;
  bool partial = false;
};

PrecisionTimes at_precision(const Inputs& inputs, const Graph& graph,
                            const MeasurementFilter& filter) {
  const auto times =
      operator_times(graph, measurements_of(inputs, graph, filter), filter, inputs.movement);
  PrecisionTimes at{.name = std::string(to_string(filter.precision)),
                    .sum = sequential_seconds(counted_seconds(times, inputs.movement)),
                    .partial = is_partial(times, inputs.movement)};
  for (const LayerTime& time : times) {
    at.seconds.push_back(is_counted(time, inputs.movement) ? time.seconds : std::nullopt);
  }
  return at;
}

std::string sum_text(const PrecisionTimes& at, const PrecisionTimes& first) {
  const std::string text = milliseconds(at.sum) + (at.partial ? "  PARTIAL" : "");
  if (&at == &first || at.partial || first.partial || !(at.sum > 0)) return text;
  return text + fmt::format(", {:.2f} times as fast as {}", first.sum / at.sum, first.name);
}

Sheet layers_sheet(const Graph& graph, const std::vector<PrecisionTimes>& list) {
  std::vector<std::size_t> counted;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (std::ranges::any_of(
            list, [&](const PrecisionTimes& at) { return at.seconds[layer].has_value(); })) {
      counted.push_back(layer);
    }
  }
  Table<std::size_t> table{
      {"layer", "", [&](std::size_t layer) { return graph.layers[layer].name; }},
      {"op", "", [&](std::size_t layer) { return graph.layers[layer].op; }}};
  for (const PrecisionTimes& at : list) {
    table.add({at.name + " us", "", micro, [&at](std::size_t layer) { return at.seconds[layer]; }});
  }
  const PrecisionTimes& first = list.front();
  for (const PrecisionTimes& at : list) {
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

void Overview::add_model(const std::string& model, Precision precision) {
  models_.emplace_back(model, precision);
  rows_.emplace_back();
}

void Overview::add(const Headline& headline) {
  add_once(columns_, headline.title);
  rows_.back()[headline.title] = headline.cell;
  if (headline.plot.empty() || !headline.plotted) return;
  auto plot = std::ranges::find(plots_, headline.plot, &Bars::title);
  if (plot == plots_.end()) {
    plots_.push_back(
        {.title = headline.plot, .unit = headline.unit, .of_models = headline.unit != "%"});
    plot = plots_.end() - 1;
  }
  auto series = std::ranges::find(plot->series, headline.title, &Series::name);
  if (series == plot->series.end()) {
    plot->series.push_back({.name = headline.title});
    series = plot->series.end() - 1;
  }
  series->values.resize(models_.size());
  series->values.back() = headline.plotted;
}

std::vector<std::string> Overview::names() const {
  std::vector<std::string> names;
  for (const auto& [model, precision] : models_) {
    names.push_back(model + ", " + std::string(to_string(precision)));
  }
  return names;
}

Sheet Overview::headlines() const {
  const std::vector<std::string> all = names();
  Sheet sheet{.caption = "all models", .columns = {{"model", ""}}};
  for (const std::string& column : columns_) {
    const bool number = std::ranges::all_of(rows_, [&](const Cells& row) {
      const auto found = row.find(column);
      return found == row.end() || !found->second.value.is_string();
    });
    sheet.columns.push_back({column, "", number});
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::vector<Cell> cells{cell(all[i])};
    for (const std::string& column : columns_) {
      const auto found = rows_[i].find(column);
      cells.push_back(found == rows_[i].end() ? Cell{} : found->second);
    }
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

Sheet Overview::by_precision() const {
  std::vector<std::string> models;
  std::vector<Precision> precisions;
  for (const auto& [model, precision] : models_) {
    add_once(models, model);
    add_once(precisions, precision);
  }
  Sheet sheet{.caption = std::string(compared) + " by precision", .columns = {{"model", ""}}};
  for (const Precision precision : precisions) {
    sheet.columns.push_back({std::string(to_string(precision)), "", true});
  }
  for (const std::string& model : models) {
    std::vector<Cell>& cells = sheet.rows.emplace_back();
    cells.push_back(cell(model));
    for (const Precision precision : precisions) {
      const auto at = std::ranges::find(models_, std::pair(model, precision)) - models_.begin();
      const auto row = static_cast<std::size_t>(at);
      const bool is_known = row < rows_.size() && rows_[row].contains(compared);
      cells.push_back(is_known ? rows_[row].at(compared) : unknown_cell());
    }
  }
  return sheet;
}

Section Overview::section() && {
  Section section{.heading = "Overview"};
  for (Bars& plot : plots_) {
    plot.categories = names();
    for (Series& series : plot.series) series.values.resize(models_.size());
    section.add(std::move(plot));
  }
  section.add(headlines());
  Sheet sheet = by_precision();
  if (sheet.columns.size() > 2) section.add(std::move(sheet));
  return section;
}

std::optional<Section> precisions_section(const Inputs& inputs, const Graph& graph) {
  if (inputs.filters.size() < 2) return std::nullopt;
  std::vector<PrecisionTimes> list;
  for (const MeasurementFilter& filter : inputs.filters) {
    list.push_back(at_precision(inputs, graph, filter));
  }
  Section section{.heading = "precisions side by side", .group = title(graph)};
  for (const PrecisionTimes& at : list) section.add(Entry{at.name, sum_text(at, list.front())});
  section.add(layers_sheet(graph, list));
  return section;
}

}  // namespace benanza::analysis
