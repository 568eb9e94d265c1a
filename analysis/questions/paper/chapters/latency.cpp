// Questions 1 and 2: the lower bound, with sequential and with parallel layers, compared with
// frameworks' latencies.

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

struct Times {
  std::string name;
  std::optional<double> (*seconds)(const StudiedModel&);
  /// In the table; those of the bounds have columns of their own.
  std::string column{};
};

const Times bounds[] = {
    {"with fusion",
     [](const StudiedModel& model) { return bound_seconds(model, "/ladder/fused_seconds"); }},
    {"LBL parallel",
     [](const StudiedModel& model) { return bound_seconds(model, "/bounds/parallel/seconds"); }},
    {"LBL sequential",
     [](const StudiedModel& model) { return bound_seconds(model, "/bounds/sequential/seconds"); }},
};

/// The bound's calls timed as one.
std::optional<double> sequence_seconds(const StudiedModel& model, bool fused) {
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("sequences")) return std::nullopt;
  for (const auto& run : facts["sequences"]) {
    if (run["fused"] == fused) return run["seconds"].get<double>();
  }
  return std::nullopt;
}

const Times in_sequence[] = {
    {"in sequence, fused", [](const StudiedModel& model) { return sequence_seconds(model, true); },
     "in_sequence_fused_seconds"},
    {"in sequence", [](const StudiedModel& model) { return sequence_seconds(model, false); },
     "in_sequence_seconds"},
};

/// Those of `times` that any of the models has.
std::vector<Times> paper_latency_known(std::span<const Times> times,
                                       const std::vector<const StudiedModel*>& models) {
  std::vector<Times> found;
  std::ranges::copy_if(times, std::back_inserter(found), [&](const Times& one) {
    return std::ranges::any_of(
        models, [&](const StudiedModel* model) { return one.seconds(*model).has_value(); });
  });
  return found;
}

std::optional<double> framework_seconds(const StudiedModel& model) {
  const auto run = fastest_run(model);
  return run ? std::optional(run->seconds) : std::nullopt;
}

/// What the models' fastest runs have in common: "pytorch 2.11.0, CUDA graph", or "the fastest
/// framework". Empty if there are none.
std::string framework_name(const std::vector<const StudiedModel*>& models) {
  std::set<std::string> names;
  for (const StudiedModel* model : models) {
    if (const auto run = fastest_run(*model)) names.insert(run->name);
  }
  if (names.empty()) return "";
  return names.size() == 1 ? *names.begin() : "the fastest framework";
}

/// The models of one batch size: bounds in ms, and the framework's latency if there is one.
Bars latencies(const std::string& of, const std::vector<const StudiedModel*>& models) {
  Bars bars{.title = "Lower-bound latency and frameworks, " + of + ", ms",
            .unit = "ms",
            .of_models = true};
  std::vector<Times> all(std::begin(bounds), std::end(bounds));
  std::ranges::move(paper_latency_known(in_sequence, models), std::back_inserter(all));
  if (std::string framework = framework_name(models); !framework.empty()) {
    all.push_back({std::move(framework), framework_seconds});
  }
  for (const auto& [name, seconds, column] : all) {
    Series series{.name = name, .values = {}};
    for (const StudiedModel* model : models) series.values.push_back(in_ms(seconds(*model)));
    bars.series.push_back(std::move(series));
  }
  for (const StudiedModel* model : models) bars.categories.push_back(marked(*model));
  return bars;
}

/// The bounds as a share of the framework's latency; no bars if no framework ran.
Bars paper_latency_shares(const std::string& of, const std::vector<const StudiedModel*>& models) {
  Bars bars{.title = "Lower bounds over the framework's latency (BR), " + of +
                     ", %: " + framework_name(models),
            .unit = "%",
            .decimals = 0};
  for (const auto& [name, seconds, column] : bounds)
    bars.series.push_back({.name = name, .values = {}});
  for (const StudiedModel* model : models) {
    const auto framework = framework_seconds(*model);
    if (!framework) continue;
    bars.categories.push_back(marked(*model));
    for (std::size_t i = 0; i < std::size(bounds); ++i) {
      const auto share = quotient(bounds[i].seconds(*model), framework);
      bars.series[i].values.push_back(share ? std::optional(*share * 100) : std::nullopt);
    }
  }
  return bars;
}

Sheet bounds_sheet(const AtPrecision& at) {
  using Row = const StudiedModel*;
  const auto seconds = [](const char* pointer) {
    return [pointer](Row model) { return bound_seconds(*model, pointer); };
  };
  const auto sequential = seconds("/bounds/sequential/seconds");
  const auto parallel = seconds("/bounds/parallel/seconds");
  Table<Row> table{{"model", "model", marked_name},
                   {"floor", "floor_seconds", milli, seconds("/ladder/floor/seconds")},
                   {"with fusion", "fused_seconds", milli, seconds("/ladder/fused_seconds")},
                   {"LBL sequential", "sequential_seconds", milli, sequential},
                   {"LBL parallel", "parallel_seconds", milli, parallel},
                   {"parallel gains", "parallel_speed_up", times,
                    [=](Row model) { return quotient(sequential(model), parallel(model)); }},
                   {"with movement", "with_movement_seconds", milli,
                    seconds("/bounds_with_movement/sequential/seconds")}};
  for (const Times& one : paper_latency_known(in_sequence, at.models)) {
    table.add({one.name, one.column, milli, [one](Row model) { return one.seconds(*model); }});
  }
  return table.sheet(at.models, {.name = "latency_" + at.word,
                                 .caption = "Lower-bound latency at " + at.word + ", ms",
                                 .all_rows = true});
}

Sheet runs_sheet(const AtPrecision& at) {
  struct Row {
    const StudiedModel* model;
    FrameworkRun run;
  };
  std::vector<Row> rows;
  for (const StudiedModel* model : at.models) {
    for (FrameworkRun& run : framework_runs(*model)) rows.push_back({model, std::move(run)});
  }
  const Table<Row> table{
      {"model", "model", [](const Row& row) { return row.model->name(); }},
      {"framework", "framework", [](const Row& row) { return row.run.name; }},
      {"latency, ms", "seconds", milli, [](const Row& row) { return row.run.seconds; }},
      {"BR", "benanza_ratio", thousandths, [](const Row& row) { return row.run.ratio; }}};
  return table.sheet(rows, {.name = "frameworks_" + at.word,
                            .caption = "Frameworks at " + at.word +
                                       ": latency, and the share that the bound is (BR)",
                            .all_rows = true});
}

void paper_latency_add_precision(Section& section, const AtPrecision& at) {
  if (at.models.empty()) return;
  for (const auto& [batch, of_batch] : by_batch(at.models)) {
    const std::string of = at.word + (batch ? ", batch " + std::to_string(*batch) : "");
    section.add(latencies(of, of_batch));
    section.add(paper_latency_shares(of, of_batch));
  }
  section.add(bounds_sheet(at));
  if (Sheet runs = runs_sheet(at); !runs.rows.empty()) section.add(std::move(runs));
  if (const auto note = note_on_marks(at.models)) section.add(*note);
}

}  // namespace

Chapter latency_chapter() {
  return {
      .title = "Questions 1 and 2: latency, sequential and parallel",
      .introduction =
          "The lower-bound latency (LBL) adds the fastest measured call of every layer; parallel: "
          "along the critical path. In sequence: the same calls one after the other, timed as one. "
          "The framework shown is the fastest that was measured.",
      .add = paper_latency_add_precision,
      .place = 20};
}

}  // namespace benanza::analysis
