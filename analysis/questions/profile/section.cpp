#include "analysis/questions/profile/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/questions/profile/device_sheets.h"
#include "analysis/questions/profile/recorded.h"
#include "analysis/render/page.h"
#include "analysis/render/text.h"
#include "core/base/text.h"
#include "core/library/algorithm.h"
#include "record/views/flat_profile.h"
#include "record/views/weight_reorders.h"

namespace benanza::analysis {
namespace {

/// Less than this share of the library's time is not worth a change of the program.
constexpr double least_share = 0.01;

double share_of(const WeightReorders& found) {
  return found.all_seconds > 0 ? found.seconds / found.all_seconds : 0;
}

Points::Point point_of(const WeightReorders& found, const std::string& whose) {
  return {.head = fmt::format("weight reorders{}: {}, {:.1f}% of the library's time", whose,
                              milliseconds(found.seconds), share_of(found) * 100),
          .lines = {fmt::format("The weights of {} {} of calls are brought into the library's "
                                "format again in every step ({} reorders); most in {}, {}.",
                                found.kinds, found.kinds == 1 ? "kind" : "kinds", found.calls,
                                found.worst, milliseconds(found.worst_seconds)),
                    "Do: Pack the weights once, when the model is loaded. In PyTorch, compile with "
                    "frozen weights, under torch.no_grad()."},
          .code = "torch._inductor.config.freezing = True; model = torch.compile(model.eval())",
          .weight = share_of(found)};
}

/// What costs time in the recordings and what to do about it; empty if there is nothing.
std::optional<Points> profile_findings(const std::vector<Recorded>& recorded) {
  Points points{.title = "What would help most"};
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    const WeightReorders found = weight_reorders(recorded[at].totals);
    if (share_of(found) < least_share) continue;
    points.points.push_back(
        point_of(found, recorded.size() > 1 ? fmt::format(", recording {}", at + 1) : ""));
  }
  return points.points.empty() ? std::nullopt : std::optional(std::move(points));
}

/// Reorders of weights in every step, for programs.
nlohmann::ordered_json reorder_facts(const Recorded& recorded) {
  const WeightReorders found = weight_reorders(recorded.totals);
  return {{"calls", found.calls}, {"seconds", found.seconds}, {"kinds", found.kinds}};
}

/// How much of the library's time its reference code took; empty if none.
std::string reference_text(const std::vector<CallTotal>& totals) {
  double all = 0;
  double seconds = 0;
  const CallTotal* longest = nullptr;
  for (const CallTotal& total : totals) {
    all += total.seconds;
    if (!is_reference_code(total.text.implementation)) continue;
    seconds += total.seconds;
    if (longest == nullptr || total.seconds > longest->seconds) longest = &total;
  }
  if (longest == nullptr) return "";
  return fmt::format("{:.1f}% of the library's time, {:.3f} ms, most in {} {}",
                     all > 0 ? 100 * seconds / all : 0, seconds * 1e3, longest->text.kind,
                     longest->text.problem);
}

Sheet sheet_of(const std::string& name, const std::string& caption, Grouping grouping,
               const std::vector<Recorded>& recorded) {
  std::vector<std::vector<CallTotal>> totals;
  std::vector<double> sums;
  for (const Recorded& one : recorded) {
    totals.push_back(one.totals);
    sums.push_back(sum_of(one.totals).seconds);
  }
  Sheet sheet{.name = name, .caption = caption};
  // CSV is one table of all three.
  sheet.columns.push_back({"by", "by"});
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    const auto column = [&](const std::string& title, const std::string& key) {
      sheet.columns.push_back(
          {numbered(title, at, recorded.size()), numbered_name(key, at, recorded.size()), true});
    };
    column("share", "share");
    column("ms", "seconds");
    column("calls", "calls");
    column("us/call", "mean_seconds");
  }
  sheet.columns.push_back({"name", "call", false, any_width});
  for (const ProfileRow& row : flat_profile(totals, grouping)) {
    std::vector<Cell> cells{cell(name)};
    for (std::size_t at = 0; at < recorded.size(); ++at) {
      const auto& part = row.parts[at];
      add_share_cells(cells, part ? std::optional(part->seconds) : std::nullopt,
                      part ? part->calls : 0, sums[at]);
    }
    cells.push_back(cell(row.name));
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

/// For people the heading says what a table is by.
Sheet without_first(Sheet sheet) {
  sheet.columns.erase(sheet.columns.begin());
  for (auto& row : sheet.rows) row.erase(row.begin());
  return sheet;
}

void add_runs(Section& section, const std::vector<Recorded>& recorded) {
  auto runs = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    const Recorded& one = recorded[at];
    const ProfileRow::Part sum = sum_of(one.totals);
    section.add(Entry{numbered("recording", at, recorded.size()), one.file});
    if (one.is_export) {
      section.add(Entry{"format", "export of Nsight Systems"});
    } else if (one.run.command.empty()) {
      section.add(Entry{"program", "not known: a log is all there is of it"});
    } else {
      section.add(Entry{"program", text::join(one.run.command, " ")});
      section.add(Entry{"machine", one.run.machine});
    }
    for (const std::string& library : one.libraries) {
      if (library.starts_with("oneDNN ")) section.add(Entry{"library", library});
    }
    for (const DeviceTime& time : one.device.devices) {
      section.add(Entry{"GPU", fmt::format("{} {}", time.device, time.name)});
    }
    if (one.device.kernel_seconds > 0) {
      section.add(Entry{"Tensor Cores", tensor_core_text(one.device)});
    }
    if (one.device.library_kernel_seconds > 0 && !one.device.library_calls.empty()) {
      section.add(Entry{"libraries", library_text(one.device)});
    }
    if (one.device.lost_events > 0) {
      section.add(Entry{
          "lost", fmt::format("{} events of GPUs: sums are too small", one.device.lost_events)});
    }
    std::string total;
    if (!one.totals.empty()) {
      total = fmt::format("{} calls, {:.3f} ms in the library", sum.calls, sum.seconds * 1e3);
    }
    if (one.run.seconds) {
      total += fmt::format("{}{:.3f} s", total.empty() ? "" : " of ", *one.run.seconds);
    } else if (!one.is_export && !one.run.command.empty()) {
      total += total.empty() ? "" : "; ";
      total += "the recorder did not see the program's end";
    }
    if (!total.empty()) section.add(Entry{"total", total});
    if (const std::string text = reference_text(one.totals); !text.empty()) {
      section.add(Entry{"reference code", text});
    }
    const auto or_null = [](const auto& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    };
    runs.push_back({{"file", one.file},
                    {"command", one.run.command},
                    {"machine", one.run.machine},
                    {"libraries", one.libraries},
                    {"run_seconds", or_null(one.run.seconds)},
                    {"exit_status", or_null(one.run.exit_status)},
                    {"calls", sum.calls},
                    {"seconds", sum.seconds},
                    {"weight_reorders", reorder_facts(one)}});
    if (one.has_device) runs.back()["gpu"] = device_facts(one.device);
  }
  section.facts["recordings"] = std::move(runs);
}

/// Of the whole run, by name.
Sheet counters_of(const std::vector<Recorded>& recorded) {
  Sheet sheet{.name = "counters",
              .caption = "counters of the processor and metrics, over the whole run",
              .all_rows = true};
  sheet.columns.push_back({"name", "counter", false, any_width});
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    sheet.columns.push_back({numbered("value", at, recorded.size()),
                             numbered_name("value", at, recorded.size()), true});
    sheet.columns.push_back({numbered("counted", at, recorded.size()),
                             numbered_name("running_part", at, recorded.size()), true});
  }
  sheet.columns.push_back({"expression", "expression", false, any_width});
  std::vector<std::pair<std::string, std::string>> names;
  for (const Recorded& one : recorded) {
    for (const CountedValue& value : one.counters) {
      const std::pair name{value.name, value.expression};
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  for (const auto& [name, expression] : names) {
    std::vector<Cell> cells{cell(name)};
    for (const Recorded& one : recorded) {
      const auto found = std::ranges::find_if(one.counters, [&](const CountedValue& value) {
        return value.name == name && value.expression == expression;
      });
      const bool is_known = found != one.counters.end() && found->value;
      cells.push_back(
          is_known ? Cell{.shown = fmt::format("{:.6g}", *found->value), .value = *found->value}
                   : unknown_cell());
      cells.push_back(
          cell(found != one.counters.end() ? found->running_part : std::nullopt, percent));
    }
    cells.push_back(cell(expression));
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

}  // namespace

Section profile_overview(const std::vector<Recorded>& recorded) {
  Section section;
  section.csv_facts = {};
  if (auto findings = profile_findings(recorded)) section.add(*std::move(findings));
  add_runs(section, recorded);
  if (auto sheet = counters_of(recorded); !sheet.rows.empty()) section.add(std::move(sheet));
  return section;
}

void add_profile_tables(Section& section, const std::vector<Recorded>& recorded) {
  std::vector<Sheet> sheets{
      sheet_of("kinds", "by kind of call", Grouping::kind, recorded),
      sheet_of("implementations", "by implementation", Grouping::implementation, recorded),
      sheet_of("calls", "by call", Grouping::call, recorded)};
  section.csv = sheets.front();
  for (std::size_t at = 1; at < sheets.size(); ++at) {
    section.csv.rows.insert(section.csv.rows.end(), sheets[at].rows.begin(), sheets[at].rows.end());
  }
  for (Sheet& sheet : counter_sheets(recorded)) section.add(std::move(sheet));
  std::vector<DeviceProfile> devices;
  for (const Recorded& one : recorded) devices.push_back(one.device);
  if (std::ranges::any_of(recorded, &Recorded::has_device)) {
    for (Sheet& sheet : device_sheets(devices)) section.add(std::move(sheet));
    for (auto& row : device_csv_rows(devices)) section.csv.rows.push_back(std::move(row));
  }
  for (Sheet& sheet : memory_sheets(recorded)) section.add(std::move(sheet));
  for (const Sheet& sheet : sheets) {
    // Empty for a recording of a GPU alone.
    if (!sheet.rows.empty()) section.add(without_first(sheet));
  }
}

}  // namespace benanza::analysis
