// benanza-analyze compare-frameworks: the same network in several frameworks, side by side.

#include <memory>

#include "analysis/input/results.h"
#include "analysis/model/whole.h"
#include "analysis/profiles/latency.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/frameworks/sheet.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct CompareFrameworksOptions {
  CommonFlags common;
  std::vector<std::string> profiles;
};

/// The libraries' sequential bound for the model at the profile's precision; empty if there are no
/// results or a layer lacks a time.
std::optional<double> bound_of(const Profile& profile, const CompareFrameworksOptions& options,
                               const std::optional<Graph>& graph,
                               const std::optional<Results>& results) {
  if (!graph || !results || !parse_precision(profile.precision)) return std::nullopt;
  const MeasurementFilter filter = filter_of(options.common, profile.precision);
  const Results device = of_one_device(*results, first_backend(options.common),
                                       profile.timeline ? DeviceKind::gpu : DeviceKind::processor);
  const auto times = operator_times(*graph, device.measurements, filter, Movement::exclude);
  if (is_partial(times, Movement::exclude)) return std::nullopt;
  const double seconds = bounds(*graph, times, Movement::exclude).sequential.seconds;
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

/// Reasons why the rows do not compare the same work.
std::vector<std::string> reservations(const std::vector<Profile>& profiles) {
  std::vector<std::string> list;
  const auto differ = [&](const char* what, const auto& of) {
    for (const Profile& profile : profiles) {
      if (of(profile) != of(profiles.front())) {
        list.push_back(std::string("The profiles are of different ") + what +
                       ": their times are not of the same work.");
        return;
      }
    }
  };
  differ("batches", [](const Profile& one) { return one.batch.value_or(0); });
  differ("precisions", [](const Profile& one) { return one.precision; });
  differ("devices", [](const Profile& one) { return one.device; });
  return list;
}

void compare_frameworks_answer(const CompareFrameworksOptions& options) {
  if (options.common.graphs.empty() != options.common.results.empty()) {
    throw Error("the distance to the bound takes both --graph and --results");
  }
  if (options.common.graphs.size() > 1) {
    throw Error("--graph: frameworks are compared on one model");
  }
  std::vector<Profile> profiles;
  for (const std::string& path : options.profiles) profiles.push_back(read_profile(path));
  std::optional<Graph> graph;
  std::optional<Results> results;
  if (!options.common.graphs.empty()) {
    graph = read_graph(options.common.graphs.front());
    const auto& paths = options.common.results;
    results = read_results({paths.begin(), paths.end()}, problem_keys({*graph}));
  }
  Section section{.heading = "frameworks"};
  section.csv_facts = {};
  std::vector<FrameworkRow> rows;
  for (const Profile& profile : profiles) {
    rows.push_back(framework_row(profile, bound_of(profile, options, graph, results)));
  }
  section.add(bars(
      {.title = "latency, ms", .series = {{"latency"}}, .unit = "ms"}, rows,
      [](const FrameworkRow& row) {
        return row.profile->framework + ' ' + row.profile->named_version();
      },
      [](const FrameworkRow& row) { return in_ms(row.seconds); }));
  section.add(frameworks_sheet(rows));
  for (const std::string& line : reservations(profiles)) section.add(line);
  for (const Profile& profile : profiles) {
    for (const std::string& remark : profile.remarks)
      section.add(profile.framework + ": " + remark);
    if (const auto latency = model_latency(profile)) {
      for (const std::string& line : process_sentences(*latency)) {
        section.add(profile.framework + ": " + line);
      }
    }
    for (const std::string& line : thread_sentences(profile)) {
      section.add(profile.framework + ": " + line);
    }
  }
  Page page{.command = "compare-frameworks"};
  page.sections.push_back(std::move(section));
  publish(page, options.common, "frameworks");
}

Action ask_compare_frameworks(Flags& flags) {
  const auto options = std::make_shared<CompareFrameworksOptions>();
  flags.add("profiles", options->profiles, "Profiles of the same network, one per framework",
            "PROFILE");
  flags.add("--graph", options->common.graphs, "The model: <model>.graph.json", "FILE");
  flags.add("--results", options->common.results, "Measurements of its calls", "FILE|DIR|DB");
  flags.add("--layout", options->common.layout, "Only measurements in this layout");
  flags.add("--backend", options->common.backends, "Only measurements of these libraries",
            "L[,L...]", ',');
  add_output_flags(flags, options->common);
  add_html_flag(flags, options->common);
  return [options] { compare_frameworks_answer(*options); };
}

}  // namespace

Question compare_frameworks_question() {
  return {.name = "compare-frameworks",
          .help =
              "The same network in several frameworks: latency, kernels, Tensor Cores, idle "
              "time, the bound",
          .ask = ask_compare_frameworks};
}

}  // namespace benanza::analysis
