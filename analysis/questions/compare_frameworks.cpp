// benanza-analyze compare-frameworks: the same network in several frameworks, side by side.

#include <algorithm>
#include <memory>

#include "analysis/model/whole.h"
#include "analysis/profiles/profile.h"
#include "analysis/questions/question.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/recording/attribution.h"
#include "core/recording/kernel_name.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

struct Options {
  CommonFlags common;
  std::vector<std::string> profiles;
  std::string html;
};

/// Kernels of one run of a model.
struct Kernels {
  std::size_t count = 0;
  /// Kernels without a framework's own name.
  std::size_t of_libraries = 0;
  double seconds = 0;
  double tensor_core_seconds = 0;
  double copy_seconds = 0;
};

Kernels kernels_of(const Profile& profile) {
  Kernels sum;
  for (const ProfiledNode& node : profile.nodes) {
    for (const ProfiledKernel& kernel : node.kernels) {
      const KernelTraits traits = kernel_traits(kernel.name);
      ++sum.count;
      sum.seconds += kernel.seconds;
      const bool copies = traits.role == KernelRole::copy;
      if (copies) sum.copy_seconds += kernel.seconds;
      if (!copies && !is_framework_kernel(kernel.name)) ++sum.of_libraries;
      if (traits.tensor_cores.value_or(false)) sum.tensor_core_seconds += kernel.seconds;
    }
  }
  return sum;
}

/// The libraries' sequential bound for the model at the profile's precision; empty if there are no
/// results or a layer lacks a time.
std::optional<double> bound_of(const Profile& profile, const Options& options,
                               const std::optional<Graph>& graph,
                               const std::optional<Results>& results) {
  if (!graph || !results || !parse_precision(profile.precision)) return std::nullopt;
  const MeasurementFilter filter = filter_of(options.common, profile.precision);
  const auto times = operator_times(*graph, results->measurements, filter, Movement::exclude);
  if (is_partial(times)) return std::nullopt;
  const double seconds = bounds(*graph, times, Movement::exclude).sequential.seconds;
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

Cell share(double part, double whole, bool is_known) {
  return percent_cell(is_known && whole > 0 ? std::optional(part / whole) : std::nullopt);
}

Cell count_or_unknown(std::size_t count, bool is_known) {
  return is_known ? count_cell(count) : Cell{.shown = "-", .value = nullptr};
}

std::vector<Cell> row_of(const Profile& profile, std::optional<double> bound) {
  const Kernels kernels = kernels_of(profile);
  const bool has_kernels = kernels.count > 0;
  const Timeline timeline = profile.timeline.value_or(Timeline{});
  const bool has_timeline = profile.timeline.has_value();
  const auto latency = profile.latency_seconds.empty()
                           ? std::nullopt
                           : std::optional(median(profile.latency_seconds));
  const auto graph_latency = profile.graph_latency_seconds.empty()
                                 ? std::nullopt
                                 : std::optional(median(profile.graph_latency_seconds));
  const auto best = graph_latency ? graph_latency : latency;
  return {text_cell(profile.framework + ' ' + profile.version),
          text_cell(profile.device.empty() ? "-" : profile.device),
          text_cell(profile.precision.empty() ? "-" : profile.precision),
          ms_cell(latency),
          ms_cell(graph_latency),
          count_cell(profile.nodes.size()),
          count_or_unknown(kernels.count, has_kernels),
          count_or_unknown(kernels.of_libraries, has_kernels),
          share(kernels.tensor_core_seconds, kernels.seconds, has_kernels),
          share(timeline.span_seconds - timeline.busy_seconds, timeline.span_seconds, has_timeline),
          share(timeline.host_bound_seconds, timeline.span_seconds, has_timeline),
          ms_cell(has_kernels ? std::optional(kernels.copy_seconds) : std::nullopt),
          ms_cell(bound),
          factor_cell(bound && best ? std::optional(*best / *bound) : std::nullopt)};
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

void answer(const Options& options) {
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
  Sheet sheet{.name = "frameworks",
              .columns = {{"framework", "framework", false, any_width},
                          {"device", "device", false, any_width},
                          {"precision", "precision"},
                          {"ms", "latency_seconds", true},
                          {"graph ms", "graph_latency_seconds", true},
                          {"operators", "operators", true},
                          {"kernels", "kernels", true},
                          {"of libraries", "library_kernels", true},
                          {"Tensor Cores", "tensor_core_share", true},
                          {"idle", "idle_share", true},
                          {"host-bound", "host_bound_share", true},
                          {"copies ms", "copy_seconds", true},
                          {"LBL ms", "bound_seconds", true},
                          {"of LBL", "ratio", true}},
              .note =
                  "LBL: of this model at the framework's precision. of LBL: of the latency as "
                  "a CUDA graph where it is known.",
              .all_rows = true};
  Bars bars{.title = "latency, ms", .series = {{"latency", {}}}, .unit = "ms"};
  for (const Profile& profile : profiles) {
    sheet.rows.push_back(row_of(profile, bound_of(profile, options, graph, results)));
    bars.categories.push_back(profile.framework + ' ' + profile.version);
    bars.series[0].values.push_back(profile.latency_seconds.empty()
                                        ? std::nullopt
                                        : std::optional(median(profile.latency_seconds) * 1e3));
  }
  section.add(std::move(bars));
  section.add(std::move(sheet));
  for (const std::string& line : reservations(profiles)) section.add(line);
  for (const Profile& profile : profiles) {
    for (const std::string& remark : profile.remarks)
      section.add(profile.framework + ": " + remark);
  }
  Page page{.command = "compare-frameworks"};
  page.sections.push_back(std::move(section));
  if (!options.html.empty()) write_file(options.html, page_html(page, "Benanza: frameworks"));
  print(page_text(page, options.common.format, rows_of(options.common)));
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  flags.add("profiles", options->profiles, "Profiles of the same network, one a framework",
            "PROFILE");
  flags.add("--graph", options->common.graphs, "The model: <model>.graph.json", "FILE");
  flags.add("--results", options->common.results, "Measurements of its calls", "FILE|DIR|DB");
  flags.add("--layout", options->common.layout, "Only measurements in this layout");
  flags.add("--backend", options->common.backend, "Only measurements of this library");
  add_output_flags(flags, options->common);
  flags.add("--html", options->html, "Write the answer as a page with plots, too", "HTML");
  return [options] { answer(*options); };
}

}  // namespace

Question compare_frameworks_question() {
  return {.name = "compare-frameworks",
          .help =
              "The same network in several frameworks: latency, kernels, Tensor Cores, idle "
              "time, the bound",
          .ask = ask};
}

}  // namespace benanza::analysis
