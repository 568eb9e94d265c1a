#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/common/answers.h"

namespace benanza::analysis {
namespace {

bool is_partial(const LayoutPlan& plan) {
  return !plan.unknown.empty() || !plan.unmeasured.empty();
}

std::vector<Cell> plan_cells(const std::string& name, const LayoutPlan& plan) {
  std::size_t nhwc = 0;  // free layers aside
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

}  // namespace

Section layouts_section(const Graph& graph, const Choice& choice, const LayoutPlans& plans,
                        const Bounds& any) {
  Section section = model_section(graph, choice);
  section.lines.push_back(fmt::format(
      "best mix: {:.3f} ms, {:.3f} ms of it in {} changes of layout", plans.best.seconds() * 1e3,
      plans.best.transform_seconds * 1e3, plans.best.transforms.size()));
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
  sheet.rows.push_back(plan_cells("nchw", plans.nchw));
  sheet.rows.push_back(plan_cells("nhwc where possible", plans.nhwc));
  sheet.rows.push_back(plan_cells("best mix", plans.best));
  sheet.rows.push_back({text_cell("each layer's own, changes not counted"),
                        ms_cell(any.sequential.seconds),
                        ms_cell(any.sequential.seconds),
                        ms_cell({}),
                        {.shown = "-", .value = nullptr},
                        {.shown = "-", .value = nullptr},
                        ms_cell(any.parallel.seconds),
                        text_cell("")});
  section.sheets.push_back(std::move(sheet));
  if (!plans.best.transforms.empty()) {
    section.sheets.push_back(transforms_sheet(graph, plans.best));
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
  section.sheets.push_back(std::move(layers));
  return section;
}

}  // namespace benanza::analysis
