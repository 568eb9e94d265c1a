// The answer about one variant of a model.

#include "analysis/questions/serve/section.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/model/floor.h"
#include "analysis/questions/serve/errors.h"
#include "analysis/questions/serve/steps.h"
#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

constexpr Unit gibi{1 / gibibyte, 2};
constexpr Unit one_decimal{1, 1};
constexpr std::size_t layers_listed = 3;

/// The bounds beside the times as plans, and which of both a time is.
Table<BatchAnswer> with_times_as_plans(Table<BatchAnswer> table) {
  using Row = BatchAnswer;
  table.add({"first token's time", "first_time_kind", &Row::first_time_kind});
  table.add({"bound ms", "first_token_bound_seconds", milli, &Row::first_bound});
  table.add({"time per token", "token_time_kind", &Row::token_time_kind});
  table.add({"bound ms ", "token_bound_seconds", milli, &Row::token_bound});
  return table;
}

Sheet batches_sheet(const ServingAnswer& answer, bool with_plans) {
  using Row = BatchAnswer;
  const auto any = [&](auto member) {
    return std::ranges::any_of(answer.batches,
                               [&](const Row& row) { return (row.*member).has_value(); });
  };
  Table<Row> table{
      {"batch", "batch", &Row::batch},
      {"first token ms", "first_token_seconds", milli, &Row::first_seconds},
      {"prompts at once", "prompts_at_once",
       [](const Row& row) {
         return row.first ? std::optional(row.prompts_at_once) : std::nullopt;
       }},
      {"ms per token", "token_seconds", milli, &Row::token_seconds},
      {"floor ms", "token_floor_seconds", milli, &Row::token_floor},
      {"tokens/s each", "tokens_per_second_each", one_decimal, &Row::tokens_per_second_each},
      {"tokens/s", "tokens_per_second", one_decimal, &Row::tokens_per_second},
      {"with prefill", "served_tokens_per_second", one_decimal, &Row::served_tokens_per_second},
      {"requests/s", "requests_per_second", thousandths, &Row::requests_per_second},
      {"GiB", "bytes", gibi, &Row::bytes},
      {"fits", "fits", &Row::fits},
      {"front", "on_front", &Row::on_front}};
  table.add_if(answer.query.usd_per_hour > 0,
               {{"USD per million", "usd_per_million_tokens", thousandths, &Row::usd_per_million}});
  table.add_if(any(&Row::joules_per_million), {{"J per million", "joules_per_million_tokens",
                                                one_decimal, &Row::joules_per_million}});
  table.add({"first token is", "first_kind", [&](const Row& row) {
               return answer.no_prefill.empty() ? row.first_kind() : std::string_view("unknown");
             }});
  table.add({"per token is", "token_kind", &Row::token_kind});
  if (with_plans) table = with_times_as_plans(std::move(table));
  return table.sheet(
      answer.batches,
      {.name = "batches",
       .note = "front: of the batches that fit, those that no other beats in both time per token "
               "and tokens per second",
       .all_rows = true});
}

Curves front_curves(const std::string& heading, const ServingAnswer& answer) {
  Curves plot{.title = heading + ": all tokens per second over the time per token, by batch",
              .curves = {{.name = "fits, or memory is unlimited"}, {.name = "does not fit"}},
              .x_name = "ms per token",
              .y_name = "tokens per second"};
  for (const BatchAnswer& one : answer.batches) {
    if (!one.token) continue;
    plot.curves[one.fits == false ? 1 : 0].points.emplace_back(one.token->best_known() * 1e3,
                                                               *one.tokens_per_second());
  }
  for (Curves::Curve& curve : plot.curves) std::ranges::sort(curve.points);
  std::erase_if(plot.curves, [](const Curves::Curve& curve) { return curve.points.empty(); });
  return plot;
}

/// The layers of one kind, in one step at one batch size.
struct KindRow {
  std::int64_t batch = 1;
  std::string_view step{};
  LayerKind kind{};
  KindPart part{};
  double whole = 0;

  double share() const { return part.seconds / whole; }
  std::optional<double> head_room() const { return quotient(part.seconds, part.floor_seconds); }
};

Sheet kinds_sheet(const ServingAnswer& answer, const DeviceRates& rates) {
  std::vector<KindRow> rows;
  for (const BatchAnswer& one : answer.batches) {
    const std::pair<std::string_view, const std::optional<ServingStep>*> steps[] = {
        {"first token", &one.first}, {"each token", &one.token}};
    for (const auto& [name, step] : steps) {
      if (!*step || !((*step)->seconds > 0)) continue;
      const std::int64_t batch = step == &one.first ? one.prompts_at_once : one.batch;
      // Several batches may begin with the same step.
      if (std::ranges::any_of(
              rows, [&](const KindRow& row) { return row.batch == batch && row.step == name; })) {
        continue;
      }
      for (const auto& [kind, part] : (*step)->kinds) {
        rows.push_back({batch, name, kind, part, (*step)->seconds});
      }
    }
  }
  const Table<KindRow> table{
      {"batch", "batch", &KindRow::batch},
      {"step", "step", &KindRow::step},
      {"layers", "kind", &KindRow::kind},
      {"ms", "seconds", milli, [](const KindRow& row) { return row.part.seconds; }},
      {"share", "share", percent, &KindRow::share},
      {"bandwidth", "bandwidth_share", percent,
       [&](const KindRow& row) {
         return quotient(quotient(row.part.bytes, row.part.seconds), rates.bytes_per_second);
       }},
      {"floor ms", "floor_seconds", milli,
       [](const KindRow& row) { return row.part.floor_seconds; }},
      {"head-room", "head_room", times, &KindRow::head_room}};
  return table.sheet(rows, {.name = "kinds",
                            .caption = "by kind of layer",
                            .note = "bandwidth: the least bytes over the time, of the device's "
                                    "measured peak (more than 100%: from the cache)",
                            .all_rows = true});
}

Sheet steps_sheet(const ServedVariant& served) {
  using Row = MeasuredStep;
  Table<Row> table = step_table<Row>();
  table.add({"ms", "seconds", milli, &Row::seconds});
  table.add({"floor ms", "floor_seconds", milli, &Row::floor_seconds});
  table.add({"left out", "left_out_error", percent, &Row::left_out_error});
  return table.sheet(measured_steps(served),
                     {.name = "steps",
                      .caption = "measured steps: each a bound (LBL sequential)",
                      .note = "left out: by how much the estimate from its neighbours is off"});
}

/// How times are interpolated on axes with several values: "decode past linear, ...".
void add_laws(Section& section, const ServedVariant& served) {
  section.facts["between"] = nlohmann::ordered_json::object();
  std::string text;
  for (const StepGrid* grid : served.grids()) {
    const auto axes = axes_of(grid->phase());
    for (std::size_t axis = 0; axis < grid->axes().size(); ++axis) {
      if (grid->values_on(axes[axis]).size() < 2) continue;
      const bool affine = grid->axes()[axis].law == Between::affine;
      const std::string phase(to_string(grid->phase()));
      section.facts["between"][phase][std::string(axes[axis])] = affine ? "linear" : "log-log";
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", phase, axes[axis],
                          affine ? "linear" : "log-log");
    }
  }
  if (!text.empty()) section.add(Entry{"in between", text});
}

void add_errors(Section& section, const ServedVariant& served, const ServingQuery& query) {
  const ServingErrors errors = errors_of(served);
  section.facts["layer_error_median"] = nullptr;
  section.facts["layer_error_p90"] = nullptr;
  section.facts["step_error_most"] = nullptr;
  if (errors.steps.empty()) {
    section.add(
        "Error of what is interpolated: unknown: measure three points on an axis at least.");
  } else {
    const double most = std::ranges::max(errors.steps);
    section.facts["step_error_most"] = most;
    std::string text = fmt::format(
        "Error of what is interpolated, by leaving out each point with a neighbour on both sides: "
        "steps {:.1f}% in the median, {:.1f}% at most",
        100 * median(errors.steps), 100 * most);
    if (!errors.layers.empty()) {
      const double middle = median(errors.layers);
      const double p90 = quantile(errors.layers, 0.9);
      section.facts["layer_error_median"] = middle;
      section.facts["layer_error_p90"] = p90;
      text += fmt::format("; layers {:.1f}% in the median, {:.1f}% at the 90th percentile",
                          100 * middle, 100 * p90);
    }
    section.add(text + ".");
  }
  const Table<NextPoints> table{{"beside", "beside", &NextPoints::beside, any_width},
                                {"axis", "axis", &NextPoints::axis},
                                {"error", "error", percent, &NextPoints::error},
                                {"command", "command", &NextPoints::command, any_width}};
  section.add(
      table.sheet(next_points(served, query),
                  {.name = "measure_next", .caption = "what to measure next", .all_rows = true}));
}

/// What the numbers do not say by themselves.
void add_limits(Section& section, const ServedVariant& served, const ServingAnswer& answer,
                const MeasurementFilter& filter) {
  section.facts["partial"] = served.is_partial();
  std::vector<std::string> left_out;
  for (const StepGrid* grid : served.grids()) {
    const auto& layers = grid->left_out();
    left_out.insert(left_out.end(), layers.begin(), layers.end());
    if (!layers.empty()) {
      section.add(fmt::format("PARTIAL: {} steps lack layers without a time: {}",
                              to_string(grid->phase()), enumerated(layers, layers_listed)));
    }
    if (!grid->incomplete().empty()) {
      section.add(fmt::format("PARTIAL: {} steps that lack measurements are left out: {}",
                              to_string(grid->phase()),
                              enumerated(grid->incomplete(), layers_listed)));
    }
    if (!grid->below_floor().empty()) {
      section.add(
          fmt::format("The floor is above {} of the {} steps: their calls found in the "
                      "cache what a run reads from memory.",
                      grid->below_floor().size(), to_string(grid->phase())));
    }
  }
  section.facts["left_out_layers"] = left_out;
  if (!answer.no_prefill.empty()) {
    section.add(fmt::format("The time to the first token is unknown: {}.", answer.no_prefill));
  }
  if (served.variant.tensor_parallel > 1) {
    section.add("Communication between the GPUs is not in these times.");
  }
  if (filter.cold) section.add("Sums of cold calls are no bounds.");
}

void add_served_memory(Section& section, const ServedVariant& served, const ServingAnswer& answer) {
  const ServingQuery& query = answer.query;
  const std::int64_t tokens = query.prompt + query.output;
  const std::string need = fmt::format(
      "weights {:.2f} GiB, cache {:.3f} GiB per sequence of {} tokens",
      served.memory.weight_bytes / gibibyte,
      (served.memory.bytes(1, static_cast<double>(tokens)) - served.memory.weight_bytes) / gibibyte,
      tokens);
  section.facts["memory_bytes"] = query.memory_bytes;
  section.facts["weight_bytes"] = served.memory.weight_bytes;
  section.facts["cache_bytes_per_token"] = served.memory.cache_bytes_per_token;
  section.facts["largest_batch"] = answer.largest_batch;
  if (!query.memory_bytes) {
    section.add(
        Entry{"memory", need + "; the device's is not known, taken as unlimited (--memory)"});
    return;
  }
  section.add(Entry{
      "memory", fmt::format("{}; the device's {:.2f} GiB", need, *query.memory_bytes / gibibyte)});
  section.add(Entry{"largest batch", answer.largest_batch ? std::to_string(*answer.largest_batch)
                                                          : "any: no cache"});
}

}  // namespace

Section serving_section(const ServedVariant& served, const ServingAnswer& answer,
                        const DeviceRates& rates, const Inputs& inputs,
                        const MeasurementFilter& filter) {
  const ServingQuery& query = answer.query;
  Section section{.heading = fmt::format("{}, {}, {}{}", served.model, text_of(served.variant),
                                         filter_text(filter, inputs.movement),
                                         served.is_partial() ? "  PARTIAL" : ""),
                  .csv_facts = {"model", "weights", "cache", "tensor_parallel", "precision"}};
  section.facts["model"] = served.model;
  section.facts["weights"] = served.variant.weights;
  section.facts["cache"] = served.variant.cache;
  section.facts["tensor_parallel"] = served.variant.tensor_parallel;
  add_filter_facts(filter, section.facts);
  section.facts["prompt_tokens"] = query.prompt;
  section.facts["cached_tokens"] = query.cached;
  section.facts["output_tokens"] = query.output;
  section.add(Entry{"request",
                    fmt::format("prompt of {} tokens{}, answer of {}; time per token: mean over "
                                "the answer",
                                query.prompt,
                                query.cached > 0 ? fmt::format(" ({} in the cache)", query.cached)
                                                 : std::string(),
                                query.output)});
  add_served_memory(section, served, answer);
  add_laws(section, served);
  section.add(batches_sheet(answer, served.plans() > 0));
  add_limits(section, served, answer, filter);
  section.add(front_curves(section.heading, answer));
  section.add(kinds_sheet(answer, rates));
  section.add(steps_sheet(served));
  add_errors(section, served, query);
  add_plans(section, served);
  return section;
}

}  // namespace benanza::analysis
