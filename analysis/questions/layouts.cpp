// benanza-analyze layouts: the bound per layout, and with the best layout of each layer.

#include "analysis/questions/layouts.h"

#include <fmt/format.h>

#include "analysis/questions/layouts/plans.h"
#include "analysis/questions/question.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

bool is_partial(const LayoutPlan& plan) {
  return !plan.unknown.empty() || !plan.unmeasured.empty();
}

std::vector<Cell> plan_cells(const Graph& graph, const std::string& name, const LayoutPlan& plan) {
  if (!plan.impossible.empty()) {
    const Cell none{.shown = "-", .value = nullptr};
    return {
        text_cell(name),
        none,
        none,
        none,
        none,
        none,
        none,
        text_cell(fmt::format("not possible: {} {} no call in it, as {}", plan.impossible.size(),
                              plan.impossible.size() == 1 ? "layer has" : "layers have",
                              graph.layers[plan.impossible.front()].name))};
  }
  std::size_t nhwc = 0;  // without free layers
  for (std::size_t layer = 0; layer < plan.layouts.size(); ++layer) {
    nhwc += plan.layouts[layer] == Layout::nhwc && !plan.times[layer].calls.empty() ? 1 : 0;
  }
  return {text_cell(name),
          ms_cell(plan.seconds()),
          ms_cell(plan.layer_seconds),
          ms_cell(plan.transform_seconds),
          count_cell(plan.transforms.size()),
          count_cell(nhwc),
          ms_cell(plan.parallel_seconds),
          text_cell(is_partial(plan)
                        ? fmt::format("PARTIAL: {} layers without a time", plan.unknown.size())
                        : "")};
}

Sheet transforms_sheet(const Graph& graph, const LayoutPlan& plan) {
  Sheet sheet{.name = "transforms",
              .caption = "changes of layout in the best mix",
              .columns = {{"tensor of", "layer"},
                          {"", "of"},
                          {"to", "to"},
                          {"us", "seconds", true},
                          {"problem", "problem"}},
              .rows = {}};
  for (const PlannedTransform& planned : plan.transforms) {
    sheet.rows.push_back({text_cell(graph.layers[planned.transform->layer].name),
                          text_cell(planned.transform->of_input ? "input" : "output"),
                          text_cell(std::string(to_string(planned.to))),
                          us_cell(planned.call->seconds()), text_cell(planned.call->variant.key)});
  }
  return sheet;
}

/// `any`: the times of the layers, each in its own best layout, without transforms.
Section plans_section(const Graph& model, const MeasurementFilter& filter, const LayoutPlans& plans,
                      Movement movement, const std::vector<LayerTime>& any) {
  Section section = model_section(model, filter, movement);
  section.add(fmt::format("best mix: {:.3f} ms, {:.3f} ms of it in {} changes of layout",
                          plans.best.seconds() * 1e3, plans.best.transform_seconds * 1e3,
                          plans.best.transforms.size()));
  const std::vector<double> any_seconds = counted_seconds(any, movement);
  const double any_sequential = sequential_seconds(any_seconds);
  const double any_parallel = critical_path(model.layers, any_seconds).seconds;
  const Graph& graph = *plans.graph;
  section.facts["partial"] = is_partial(plans.best);
  Sheet sheet{.name = "plans",
              .caption = "",
              .columns = {{"layout", "layout"},
                          {"sequential ms", "seconds", true},
                          {"layers ms", "layer_seconds", true},
                          {"changes ms", "transform_seconds", true},
                          {"changes", "transforms", true},
                          {"layers in nhwc", "layers_in_nhwc", true},
                          {"parallel ms", "parallel_seconds", true},
                          {"", "note"}},
              .rows = {}};
  sheet.rows.push_back(plan_cells(graph, "nchw", plans.nchw));
  sheet.rows.push_back(plan_cells(graph, "nhwc where possible", plans.nhwc));
  sheet.rows.push_back(plan_cells(graph, "best mix", plans.best));
  sheet.rows.push_back({text_cell("each layer's own, changes not counted"),
                        ms_cell(any_sequential),
                        ms_cell(any_sequential),
                        ms_cell({}),
                        {.shown = "-", .value = nullptr},
                        {.shown = "-", .value = nullptr},
                        ms_cell(any_parallel),
                        text_cell("")});
  section.add(std::move(sheet));
  if (!plans.best.transforms.empty()) {
    section.add(transforms_sheet(graph, plans.best));
  }

  Sheet layers{.name = "layers",
               .caption = "layers in the best mix",
               .columns = {{"layer", "layer"},
                           {"op", "op"},
                           {"layout", "layout"},
                           {"us", "seconds", true},
                           {"nchw us", "nchw_seconds", true},
                           {"nhwc us", "nhwc_seconds", true}},
               .rows = {}};
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const LayerTime& time = plans.best.times[layer];
    if (time.calls.empty()) continue;
    layers.rows.push_back({text_cell(graph.layers[layer].name), text_cell(graph.layers[layer].op),
                           text_cell(std::string(to_string(plans.best.layouts[layer]))),
                           us_cell(time.seconds), us_cell(plans.nchw.times[layer].seconds),
                           us_cell(plans.nhwc.times[layer].seconds)});
  }
  section.add(std::move(layers));
  return section;
}

void require_complete(const Graph& graph, const MeasurementFilter& filter, const LayoutPlan& plan) {
  require_complete(graph, plan.times, to_string(filter.precision));
  if (plan.unmeasured.empty()) return;
  throw Error(title(graph) + ": the change of layout " + plan.unmeasured.front() +
              " is not measured; run the benchmarks, or say --allow-missing for a partial bound");
}

}  // namespace

Section layouts_section(const Subject& subject) {
  if (subject.filter.layout) throw Error("--layouts compares layouts: leave --layout out");
  const LayoutPlans plans =
      layout_plans(subject.graph, subject.measurements(), subject.filter, subject.movement());
  if (!subject.allow_missing) require_complete(*plans.graph, subject.filter, plans.best);
  return plans_section(
      subject.graph, subject.filter, plans, subject.movement(),
      operator_times(subject.graph, subject.measurements(), subject.filter, subject.movement()));
}

Question layouts_question() {
  return {.name = "layouts",
          .help = "The bound in nchw, in nhwc, and in the best mix, changes between them counted",
          .section =
              [](const Subject& subject) {
                return subject.filter.layout ? std::nullopt
                                             : std::optional(layouts_section(subject));
              },
          .ask =
              [](Flags& flags) {
                return ask_about_models(flags, "layouts", [](const Subject& subject) {
                  return std::optional(layouts_section(subject));
                });
              },
          .chapter = "layouts",
          .place = 70};
}

}  // namespace benanza::analysis
