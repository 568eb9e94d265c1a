#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/questions/common/answers.h"
#include "analysis/render/duration.h"
#include "analysis/questions/fusion/report.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

constexpr std::size_t reasons_listed = 3;

std::string profit_text(double before, double after) {
  if (before <= 0) return "nothing to save";
  return fmt::format("{:.3f} ms, {:.1f}%", (before - after) * 1e3, 100 * (before - after) / before);
}

std::string bound_lines(const FusionReport& report) {
  const std::string partial = report.is_partial() ? "  PARTIAL" : "";
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  const Bounds& before = report.unfused;
  const Bounds& after = report.fused;
  line("LBL sequential", with_spread(before.sequential) + partial);
  line("  with fusion", with_spread(after.sequential) + partial);
  line("  profit", profit_text(before.sequential.seconds, after.sequential.seconds));
  line("LBL parallel", with_spread(before.parallel) + partial);
  line("  with fusion", with_spread(after.parallel) + partial);
  line(
      "cover",
      fmt::format("{} of {} fusions; {}", report.cover.pieces.size(), report.fusions.size(),
                  report.cover.optimal ? "no other choice gives a lower sequential bound"
                                       : "the search was cut short: another choice may be better"));
  if (report.has_other_fusions_in_parallel()) line("", parallel_fusions_text(report));
  return text;
}

std::string pattern_lines(const FusionReport& report) {
  if (report.patterns.empty()) return "\n  no layers that a library could fuse\n";
  TextTable table({{"pattern"},
                   {"found", true},
                   {"measured", true},
                   {"unsupported", true},
                   {"missing", true},
                   {"used", true},
                   {"saves us", true},
                   {"if alone us", true},
                   {"in LBL us", true}});
  for (const PatternRow& row : report.patterns) {
    table.add({row.pattern, std::to_string(row.found), std::to_string(row.measured),
               std::to_string(row.unsupported), std::to_string(row.missing),
               std::to_string(row.used), microseconds(row.profit_seconds),
               microseconds(row.profit_alone_seconds), microseconds(row.in_bound_seconds)});
  }
  return '\n' + table.text();
}

std::string saving_lines(const FusionReport& report, std::size_t rows) {
  const auto saving = [&](std::size_t index) {
    return *report.rows[index].alone_seconds - *report.rows[index].seconds;
  };
  std::vector<std::size_t> order = report.cover.pieces;
  std::ranges::stable_sort(order, std::greater{}, saving);
  if (order.empty() || rows == 0) return "";
  TextTable table({{"layers"},
                   {"pattern"},
                   {"alone us", true},
                   {"fused us", true},
                   {"saves us", true},
                   {"layout/backend/algorithm"}});
  for (std::size_t place = 0; place < std::min(rows, order.size()); ++place) {
    const std::size_t index = order[place];
    const Fusion& fusion = report.graph->fusions[index];
    const VariantName& variant = report.fusions[index].calls.front()->variant;
    const std::string names = report.graph->layers[fusion.layers.front()].name + " ... " +
                              report.graph->layers[fusion.layers.back()].name;
    table.add(
        {shortened(names, name_width), fusion.pattern,
         microseconds(*report.rows[index].alone_seconds), microseconds(*report.rows[index].seconds),
         microseconds(saving(index)),
         fmt::format("{}/{}/{}", to_string(variant.layout), variant.backend, variant.algorithm)});
  }
  std::string text = '\n' + table.text();
  if (order.size() > rows) text += fmt::format("  and {} more\n", order.size() - rows);
  return text;
}

std::string missing_lines(const FusionReport& report) {
  std::vector<std::string> reasons;
  const auto add = [&](const std::vector<LayerTime>& times) {
    for (const LayerTime& time : times) {
      for (const Gap& gap : time.gaps) {
        const std::string reason = gap.key + " (" + gap.reason + ")";
        if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
      }
    }
  };
  add(report.layers);
  add(report.fusions);
  if (reasons.empty()) return "";
  return "\n  missing: " + enumerated(reasons, reasons_listed) + '\n';
}

}  // namespace

std::string fusion_table(const FusionReports& reports, std::size_t rows) {
  std::string text = system_lines(reports.systems);
  for (const FusionReport& report : reports.reports) {
    text += '\n' + choice_heading(*report.graph, report.choice, report.movement) + '\n' +
            bound_lines(report) + pattern_lines(report) + saving_lines(report, rows) +
            missing_lines(report);
  }
  return text;
}

}  // namespace benanza::analysis
