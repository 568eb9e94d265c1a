// The bound's time by operator.

#include <algorithm>
#include <map>

#include "analysis/input/measurement.h"
#include "analysis/questions/paper/study.h"

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

std::vector<std::string> largest(const std::vector<Shares>& all) {
  std::map<std::string, double> most;
  for (const Shares& shares : all) {
    for (const auto& [op, share] : shares) most[op] = std::max(most[op], share);
  }
  std::vector<std::pair<std::string, double>> order(most.begin(), most.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<std::string, double>::second);
  std::vector<std::string> names;
  for (const auto& [op, share] : order) {
    if (names.size() < most_operators) names.push_back(op);
  }
  return names;
}

/// Each library's share of the time of all calls in the bound.
Shares libraries_of(const StudiedModel& model) {
  Shares shares;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("layers")) return shares;
  double all = 0;
  for (const auto& layer : facts["layers"]) {
    if (layer.value("standing", "") == "movement") continue;
    for (const auto& call : layer["calls"]) {
      const VariantName name = parse_variant_name(call["name"].get<std::string>());
      shares[name.backend] += call["seconds"].get<double>();
      all += call["seconds"].get<double>();
    }
  }
  for (auto& [library, share] : shares) share /= all;
  return shares;
}

void add_libraries(Section& section, const std::vector<const StudiedModel*>& models,
                   const std::string& word) {
  std::vector<Shares> all;
  for (const StudiedModel* model : models) all.push_back(libraries_of(*model));
  const std::vector<std::string> names = largest(all);
  if (names.empty()) return;
  Sheet sheet{.name = "libraries_" + word,
              .caption = "Libraries at " + word,
              .columns = {{"model", "model"}},
              .all_rows = true};
  for (const std::string& name : names) sheet.columns.push_back({name, name, true});
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (all[i].empty()) continue;
    std::vector<Cell> row{text_cell(marked(*models[i]))};
    for (const std::string& name : names) row.push_back(percent_cell(all[i][name]));
    sheet.rows.push_back(std::move(row));
  }
  section.add(std::move(sheet));
}

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "The share that each operator has of the sequential bound, and each library's fastest "
      "calls.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    const std::string word(to_string(precision));
    const auto models = study.at(precision);
    std::vector<Shares> all;
    for (const StudiedModel* model : models) all.push_back(shares_of(*model));
    const std::vector<std::string> names = largest(all);
    if (names.empty()) continue;
    any = true;
    Sheet sheet{.name = "operators_" + word,
                .caption = "Operators at " + word,
                .columns = {{"model", "model"}},
                .all_rows = true};
    Bars bars{.title = "Operators of the bound, " + word + ", %",
              .unit = "%",
              .decimals = 0,
              .stacked = true};
    for (const std::string& name : names) {
      sheet.columns.push_back({name, name, true});
      bars.series.push_back({.name = name});
    }
    sheet.columns.push_back({"others", "others", true});
    bars.series.push_back({.name = "others"});
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (all[i].empty()) continue;  // nothing was measured
      double rest = 1;
      std::vector<Cell> row{text_cell(marked(*models[i]))};
      bars.categories.push_back(marked(*models[i]));
      for (std::size_t j = 0; j < names.size(); ++j) {
        const auto found = all[i].find(names[j]);
        const double share = found == all[i].end() ? 0 : found->second;
        rest -= share;
        row.push_back(percent_cell(share));
        bars.series[j].values.push_back(share * 100);
      }
      row.push_back(percent_cell(std::max(rest, 0.0)));
      bars.series.back().values.push_back(std::max(rest, 0.0) * 100);
      sheet.rows.push_back(std::move(row));
    }
    section.add(std::move(bars));
    section.add(std::move(sheet));
    add_libraries(section, models, word);
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter operators_chapter() { return {.title = "Operators", .section = section, .place = 15}; }

}  // namespace benanza::analysis
