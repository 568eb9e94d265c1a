// benanza-analyze layouts: the bound per layout, and with the best layout of each layer.

#include <fmt/format.h>

#include "analysis/questions/common/question.h"
#include "analysis/questions/layouts/plans.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

bool is_partial(const LayoutPlan& plan) {
  return !plan.unknown.empty() || !plan.unmeasured.empty();
}

/// A plan beside the others; `plan` is null for the sum of each layer's own best.
struct PlanRow {
  std::string name{};
  const Graph* graph = nullptr;
  const LayoutPlan* plan = nullptr;
  std::optional<double> layer_seconds{};
  std::optional<double> parallel_seconds{};

  bool is_possible() const { return plan != nullptr && plan->impossible.empty(); }
  template <class Of>
  auto if_possible(Of of) const {
    return is_possible() ? std::optional(of(*plan)) : std::nullopt;
  }
  std::optional<double> seconds() const {
    return plan == nullptr ? layer_seconds
                           : if_possible([](const LayoutPlan& one) { return one.seconds(); });
  }
  /// Without free layers.
  std::optional<std::size_t> in_nhwc() const {
    return if_possible([](const LayoutPlan& one) {
      std::size_t count = 0;
      for (std::size_t layer = 0; layer < one.layouts.size(); ++layer) {
        count += one.layouts[layer] == Layout::nhwc && !one.times[layer].calls.empty() ? 1 : 0;
      }
      return count;
    });
  }
  std::string note() const {
    if (plan == nullptr) return "";
    if (!is_possible()) {
      return fmt::format("not possible: {} {} no call in it, as {}", plan->impossible.size(),
                         plan->impossible.size() == 1 ? "layer has" : "layers have",
                         graph->layers[plan->impossible.front()].name);
    }
    if (!is_partial(*plan)) return "";
    return fmt::format("PARTIAL: {} layers without a time", plan->unknown.size());
  }
};

PlanRow row_of(const std::string& name, const Graph& graph, const LayoutPlan& plan) {
  PlanRow row{.name = name, .graph = &graph, .plan = &plan};
  if (!row.is_possible()) return row;
  row.layer_seconds = plan.layer_seconds;
  row.parallel_seconds = plan.parallel_seconds;
  return row;
}

Sheet plans_sheet(const LayoutPlans& plans, const PlanRow& own) {
  using Row = PlanRow;
  const Graph& graph = *plans.graph;
  const auto of_plan = [](auto of) { return [of](const Row& row) { return row.if_possible(of); }; };
  const Table<Row> table{{"layout", "layout", &Row::name},
                         {"sequential ms", "seconds", milli, &Row::seconds},
                         {"layers ms", "layer_seconds", milli, &Row::layer_seconds},
                         {"changes ms", "transform_seconds", milli,
                          of_plan([](const LayoutPlan& plan) { return plan.transform_seconds; })},
                         {"changes", "transforms",
                          of_plan([](const LayoutPlan& plan) { return plan.transforms.size(); })},
                         {"layers in nhwc", "layers_in_nhwc", &Row::in_nhwc},
                         {"parallel ms", "parallel_seconds", milli, &Row::parallel_seconds},
                         {"", "note", &Row::note}};
  return table.sheet(std::vector{row_of("nchw", graph, plans.nchw),
                                 row_of("nhwc where possible", graph, plans.nhwc),
                                 row_of("best mix", graph, plans.best), own},
                     {.name = "plans"});
}

Sheet transforms_sheet(const Graph& graph, const LayoutPlan& plan) {
  using Row = PlannedTransform;
  const Table<Row> table{
      {"tensor of", "layer",
       [&](const Row& row) { return graph.layers[row.transform->layer].name; }},
      {"", "of", [](const Row& row) { return row.transform->of_input ? "input" : "output"; }},
      {"to", "to", &Row::to},
      {"us", "seconds", micro, [](const Row& row) { return row.call->seconds(); }},
      {"problem", "problem", [](const Row& row) { return row.call->variant.key; }}};
  return table.sheet(plan.transforms,
                     {.name = "transforms", .caption = "changes of layout in the best mix"});
}

Sheet layouts_layers_sheet(const LayoutPlans& plans) {
  const auto& layers = plans.graph->layers;
  const auto seconds_in = [](const LayoutPlan& plan) {
    return [&plan](std::size_t layer) { return plan.times[layer].seconds; };
  };
  std::vector<std::size_t> called;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (!plans.best.times[layer].calls.empty()) called.push_back(layer);
  }
  const Table<std::size_t> table{
      {"layer", "layer", [&](std::size_t layer) { return layers[layer].name; }},
      {"op", "op", [&](std::size_t layer) { return layers[layer].op; }},
      {"layout", "layout", [&](std::size_t layer) { return plans.best.layouts[layer]; }},
      {"us", "seconds", micro, seconds_in(plans.best)},
      {"nchw us", "nchw_seconds", micro, seconds_in(plans.nchw)},
      {"nhwc us", "nhwc_seconds", micro, seconds_in(plans.nhwc)}};
  return table.sheet(called, {.name = "layers", .caption = "layers in the best mix"});
}

/// `any`: the times of the layers, each in its own best layout, without transforms.
Section plans_section(const Graph& model, const MeasurementFilter& filter, const LayoutPlans& plans,
                      Movement movement, const std::vector<LayerTime>& any) {
  Section section = model_section(model, filter, movement);
  section.add(fmt::format("best mix: {:.3f} ms, {:.3f} ms of it in {} changes of layout",
                          plans.best.seconds() * 1e3, plans.best.transform_seconds * 1e3,
                          plans.best.transforms.size()));
  section.facts["partial"] = is_partial(plans.best);
  const std::vector<double> seconds = counted_seconds(any, movement);
  section.add(
      plans_sheet(plans, {.name = "each layer's own, changes not counted",
                          .layer_seconds = sequential_seconds(seconds),
                          .parallel_seconds = critical_path(model.layers, seconds).seconds}));
  if (!plans.best.transforms.empty()) section.add(transforms_sheet(*plans.graph, plans.best));
  section.add(layouts_layers_sheet(plans));
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
  return plans_section(subject.graph, subject.filter, plans, subject.movement(), times_of(subject));
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
