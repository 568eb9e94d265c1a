// benanza-analyze heat: the share of the bound by operator and precision.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// All layers of one operator that run at one precision.
struct Share {
  std::string op{};
  Precision precision{};
  std::size_t layers = 0;
  double seconds = 0;
};

/// Shares of layers in the bound, largest first. Layers count at the precision of their calls.
std::vector<Share> heat_shares(const Subject& subject, const std::vector<LayerTime>& times) {
  std::vector<Share> list;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    const LayerTime& time = times[layer];
    if (!is_counted(time, subject.movement())) continue;
    // One call for several layers is listed under the operator's own name.
    const std::string& op = time.does.empty() ? subject.graph.layers[layer].op : time.fusion;
    const Precision precision = time.calls.front()->variant.precision;
    auto found = std::ranges::find_if(
        list, [&](const Share& share) { return share.op == op && share.precision == precision; });
    if (found == list.end()) {
      found = list.insert(list.end(), {.op = op, .precision = precision});
    }
    ++found->layers;
    found->seconds += *time.seconds;
  }
  std::ranges::stable_sort(list, std::ranges::greater{}, &Share::seconds);
  return list;
}

/// Percent of the bound: a category per operator, a series per precision.
Bars plot(const std::vector<Share>& list, double total) {
  Bars bars{.title = "Share of the sequential bound by operator and precision",
            .unit = "%",
            .decimals = 1,
            .in_text = true};
  for (const Share& share : list) {
    if (std::ranges::find(bars.categories, share.op) == bars.categories.end()) {
      bars.categories.push_back(share.op);
    }
  }
  for (const Share& share : list) {
    const std::string name(to_string(share.precision));
    auto series = std::ranges::find(bars.series, name, &Series::name);
    if (series == bars.series.end()) {
      bars.series.push_back({name, std::vector<std::optional<double>>(bars.categories.size())});
      series = bars.series.end() - 1;
    }
    const auto category = std::ranges::find(bars.categories, share.op) - bars.categories.begin();
    series->values[static_cast<std::size_t>(category)] = share.seconds / total * 100;
  }
  return bars;
}

std::optional<Section> heat_answer(const Subject& subject) {
  const auto times = complete_times(subject);
  const double total = sequential_seconds(counted_seconds(times, subject.movement()));
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  section.facts["sequential_seconds"] = total;
  const bool partial = is_partial(times, subject.movement());
  section.facts["partial"] = partial;
  section.add(fmt::format("{} {:.3f} ms{}", sum_names(subject.filter).sequential, total * 1e3,
                          partial ? "  PARTIAL" : ""));
  const std::vector<Share> list = heat_shares(subject, times);
  section.add(plot(list, total));
  const Table<Share> table{
      {"operator", "op", &Share::op},
      {"precision", "precision", &Share::precision},
      {"layers", "layers", &Share::layers},
      {"us", "seconds", micro, &Share::seconds},
      {"share", "share", percent, [&](const Share& share) { return share.seconds / total; }}};
  // The CSV table has its own column "precision".
  section.csv_facts = {"model", "batch"};
  section.add(
      table.sheet(list, {.name = "operators", .caption = "operators, the largest share first"}));
  return section;
}

}  // namespace

Question heat_question() {
  return {.name = "heat",
          .help = "The share of the bound by operator and precision",
          .section = heat_answer,
          .chapter = "heat",
          .place = 15};
}

}  // namespace benanza::analysis
