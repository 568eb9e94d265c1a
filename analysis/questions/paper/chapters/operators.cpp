// The bound's time by operator.

#include <algorithm>
#include <map>

#include "analysis/input/measurement.h"
#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// Operators shown by name: those with the largest share in any model.
constexpr std::size_t most_operators = 8;

using Shares = std::map<std::string, double>;

Shares shares_of(const StudiedModel& model) {
  Shares shares;
  const auto& facts = model.facts("heat");
  if (!facts.is_object() || !facts.contains("operators")) return shares;
  for (const auto& one : facts["operators"]) {
    if (one["share"].is_number())
      shares[one["op"].get<std::string>()] += one["share"].get<double>();
  }
  return shares;
}

/// Each library's share of the time of all calls in the bound.
Shares libraries_of(const StudiedModel& model) {
  Shares shares;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("layers")) return shares;
  double all = 0;
  for (const auto& layer : facts["layers"]) {
    if (layer.value("standing", "") == to_string(LayerStatus::movement)) continue;
    for (const auto& call : layer["calls"]) {
      const VariantName name = parse_variant_name(call["name"].get<std::string>());
      shares[name.backend] += call["seconds"].get<double>();
      all += call["seconds"].get<double>();
    }
  }
  for (auto& [library, share] : shares) share /= all;
  return shares;
}

/// A model's shares of its bound, by operator or by library.
struct ModelShares {
  std::string model{};
  Shares shares{};

  double of(const std::string& name) const {
    const auto found = shares.find(name);
    return found == shares.end() ? 0 : found->second;
  }
  double besides(const std::vector<std::string>& names) const {
    double rest = 1;
    for (const std::string& name : names) rest -= of(name);
    return std::max(rest, 0.0);
  }
};

/// Models of which nothing was measured are left out.
std::vector<ModelShares> paper_operators_rows_of(const AtPrecision& at,
                                                 Shares (*shares)(const StudiedModel&)) {
  std::vector<ModelShares> rows;
  for (const StudiedModel* model : at.models) {
    if (Shares found = shares(*model); !found.empty()) rows.push_back({marked(*model), found});
  }
  return rows;
}

std::vector<std::string> paper_operators_largest(const std::vector<ModelShares>& rows) {
  std::map<std::string, double> most;
  for (const ModelShares& row : rows) {
    for (const auto& [op, share] : row.shares) most[op] = std::max(most[op], share);
  }
  std::vector<std::pair<std::string, double>> order(most.begin(), most.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<std::string, double>::second);
  std::vector<std::string> names;
  for (const auto& [op, share] : order) {
    if (names.size() < most_operators) names.push_back(op);
  }
  return names;
}

Table<ModelShares> shares_table(const std::vector<std::string>& names) {
  Table<ModelShares> table{{"model", "model", &ModelShares::model}};
  for (const std::string& name : names) {
    table.add({name, name, percent, [name](const ModelShares& row) { return row.of(name); }});
  }
  return table;
}

void add_libraries(Section& section, const AtPrecision& at) {
  const std::vector<ModelShares> rows = paper_operators_rows_of(at, libraries_of);
  if (rows.empty()) return;
  section.add(shares_table(paper_operators_largest(rows))
                  .sheet(rows, {.name = "libraries_" + at.word,
                                .caption = "Libraries at " + at.word,
                                .all_rows = true}));
}

void paper_operators_add_precision(Section& section, const AtPrecision& at) {
  const std::vector<ModelShares> rows = paper_operators_rows_of(at, shares_of);
  if (rows.empty()) return;
  const std::vector<std::string> names = paper_operators_largest(rows);
  Bars plot{.title = "Operators of the bound, " + at.word + ", %",
            .unit = "%",
            .decimals = 0,
            .stacked = true};
  for (const std::string& name : names) plot.series.push_back({.name = name});
  plot.series.push_back({.name = "others"});
  for (const ModelShares& row : rows) {
    plot.categories.push_back(row.model);
    for (std::size_t i = 0; i < names.size(); ++i) {
      plot.series[i].values.push_back(row.of(names[i]) * 100);
    }
    plot.series.back().values.push_back(row.besides(names) * 100);
  }
  Table<ModelShares> table = shares_table(names);
  table.add(
      {"others", "others", percent, [&](const ModelShares& row) { return row.besides(names); }});
  section.add(std::move(plot));
  section.add(table.sheet(
      rows,
      {.name = "operators_" + at.word, .caption = "Operators at " + at.word, .all_rows = true}));
  add_libraries(section, at);
}

}  // namespace

Chapter operators_chapter() {
  return {
      .title = "Operators",
      .introduction =
          "The share that each operator has of the sequential bound, and each library's fastest "
          "calls.",
      .add = paper_operators_add_precision,
      .place = 15};
}

}  // namespace benanza::analysis
