// benanza-analyze batches: the bound at the measured batch sizes, and estimates between them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "analysis/model/interpolation.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/flags.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

struct BatchesOptions {
  CommonFlags common;
  std::string batches;
};

/// One model's graphs by batch size.
using Batches = std::map<std::int64_t, const Graph*>;

bool has_same_layers(const Graph& a, const Graph& b) {
  return std::ranges::equal(a.layers, b.layers, {}, &Layer::name, &Layer::name);
}

void add_error(Section& section, const Grid& grid, const std::vector<Axis>& axes) {
  const char* const name = axes.front().law == Between::affine ? "a + b * batch" : "a * batch^b";
  section.facts["between"] = name;
  std::vector<double> layer_errors;
  double worst = 0;
  for (const LeftOutPoint& out : leave_one_out(grid, axes)) {
    layer_errors.insert(layer_errors.end(), out.layer_errors.begin(), out.layer_errors.end());
    worst = std::max(worst, std::abs(out.sum_ratio.value_or(1) - 1));
  }
  if (layer_errors.empty()) {
    section.add(
        fmt::format("Estimates by {} of every layer; their error is not known: measure three batch "
                    "sizes at least.",
                    name));
    return;
  }
  const double middle = median(layer_errors);
  const double p90 = quantile(layer_errors, 0.9);
  section.facts["layer_error_median"] = middle;
  section.facts["layer_error_p90"] = p90;
  section.facts["bound_error_most"] = worst;
  section.add(
      fmt::format("Estimates by {} of every layer. Each size that lies between two others, left "
                  "out and estimated from "
                  "them: layers are off by {:.1f}% in the median, {:.1f}% at the 90th percentile, "
                  "the bound by {:.1f}% at most.",
                  name, middle * 100, p90 * 100, worst * 100));
}

/// The bound at one batch size, measured or estimated.
struct Estimate {
  std::int64_t batch = 0;
  std::optional<double> seconds{};
  const char* kind = "";

  std::optional<double> per_second() const {
    if (!seconds || *seconds <= 0) return std::nullopt;
    return static_cast<double>(batch) / *seconds;
  }
};

Section batches_section_of(const std::string& model, const Batches& graphs, const Inputs& inputs,
                           const MeasurementFilter& filter, const std::set<std::int64_t>& wanted) {
  const Graph& first = *graphs.begin()->second;
  Section section{.heading = model + ", " + filter_text(filter, inputs.movement),
                  .csv_facts = {"model", "precision"}};
  section.facts["model"] = model;
  add_filter_facts(filter, section.facts);
  Grid grid;
  std::vector<std::string> holes;
  for (const auto& [batch, graph] : graphs) {
    if (!has_same_layers(first, *graph)) {
      throw Error(model +
                  ": its graphs have different layers; generate all batch sizes from one model");
    }
    const auto times = operator_times(*graph, inputs.results.measurements, filter, inputs.movement);
    if (is_partial(times, inputs.movement)) {
      holes.push_back(std::to_string(batch));
      continue;
    }
    grid[{batch}] = shared_seconds(times, inputs.movement);
  }
  if (!holes.empty()) {
    section.add(fmt::format("Layers lack a time at batch {}: left out.", fmt::join(holes, ", ")));
  }
  const std::vector<Axis> axes = better(grid);
  std::set<std::int64_t> sizes = wanted;
  for (const auto& [place, seconds] : grid) sizes.insert(place.front());
  std::vector<Estimate> estimates;
  for (const std::int64_t batch : sizes) {
    const auto layers = interpolated(grid, std::vector{static_cast<double>(batch)}, axes);
    const auto sum = [&] { return std::accumulate(layers->begin(), layers->end(), 0.0); };
    estimates.push_back({.batch = batch,
                         .seconds = layers ? std::optional(sum()) : std::nullopt,
                         .kind = grid.contains({batch})
                                     ? filter.cold ? "cold calls" : "LBL, measured"
                                 : layers ? "estimate, no bound"
                                          : "outside of what was measured"});
  }
  const Table<Estimate> table{{"batch", "batch", &Estimate::batch},
                              {"ms", "seconds", milli, &Estimate::seconds},
                              {"a second", "per_second", whole, &Estimate::per_second},
                              {"what it is", "kind", &Estimate::kind}};
  section.add(table.sheet(estimates, {.name = "batches", .all_rows = true}));
  if (grid.size() >= 2) add_error(section, grid, axes);
  return section;
}

void batches_answer(const BatchesOptions& options) {
  const std::set<std::int64_t> wanted =
      options.batches.empty() ? std::set<std::int64_t>{} : sizes_of(options.batches, "--batch");
  const Inputs inputs = read_inputs(options.common);
  std::map<std::string, Batches> models;
  for (const Graph& graph : inputs.graphs) {
    if (graph.batch) models[graph.model][*graph.batch] = &graph;
  }
  Page page{.command = "batches", .systems = inputs.results.systems, .note = inputs.left_out};
  for (const MeasurementFilter& filter : inputs.filters) {
    for (const auto& [model, graphs] : models) {
      page.sections.push_back(batches_section_of(model, graphs, inputs, filter, wanted));
    }
  }
  print(page, inputs);
}

Action ask_batches(Flags& flags) {
  const auto options = std::make_shared<BatchesOptions>();
  add_common_flags(flags, options->common);
  flags.add("--batch", options->batches,
            "Sizes to estimate as well: 3,6,12, or 1:512 for powers of two and their midpoints",
            "SIZES");
  return [options] { batches_answer(*options); };
}

}  // namespace

Question batches_question() {
  return {.name = "batches",
          .help = "The bound across batch sizes, and estimates between those that were measured",
          .ask = ask_batches};
}

}  // namespace benanza::analysis
