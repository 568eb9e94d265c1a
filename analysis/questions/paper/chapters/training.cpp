// Training steps: the times of forward pass, backward pass and update, and scaling to several GPUs.

#include <functional>

#include "analysis/model/whole.h"
#include "analysis/questions/paper/study.h"
#include "analysis/questions/training/measured.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

constexpr double fp32_bytes = 4;

struct Step {
  const StudiedModel* model = nullptr;
  WorkerStep worker{};
};

std::vector<Step> steps_at(const Study& study, Precision precision) {
  std::vector<Step> steps;
  for (const StudiedModel* model : study.at(precision)) {
    const Subject& subject = model->subject();
    if (!has_phases(subject.graph)) continue;
    const auto times = times_of(subject);
    const auto seconds = shared_seconds(times, subject.movement());
    steps.push_back({model, worker_step(subject.graph, seconds, fp32_bytes)});
    if (!(steps.back().worker.compute_seconds() > 0)) steps.pop_back();
  }
  return steps;
}

std::string step_name(const Step& step) { return marked(*step.model); }

std::optional<double> paper_training_samples_per_second(const Step& step, double seconds) {
  const auto& batch = step.model->subject().graph.batch;
  return batch ? quotient(static_cast<double>(*batch), seconds) : std::nullopt;
}

void add_steps(Section& section, const std::vector<Step>& steps, const std::string& word) {
  const auto ms_of = [](auto seconds) {
    return [seconds](const Step& step) { return std::invoke(seconds, step.worker) * 1e3; };
  };
  const auto of_worker = [](auto seconds) {
    return [seconds](const Step& step) { return std::invoke(seconds, step.worker); };
  };
  const auto whole_step = of_worker(&WorkerStep::compute_seconds);
  const auto framework = [](const Step& step) {
    return step.model->number("bound", "/profiles/0/latency_seconds");
  };
  const Table<Step> table{
      {"model", "model", step_name},
      {"forward, ms", "forward_seconds", milli, of_worker(&WorkerStep::forward)},
      {"backward, ms", "backward_seconds", milli, of_worker(&WorkerStep::backward_seconds)},
      {"update, ms", "update_seconds", milli, of_worker(&WorkerStep::update)},
      {"step, ms", "step_seconds", milli, whole_step},
      {"backward of forward", "backward_ratio", thousandths, of_worker([](const WorkerStep& one) {
         return quotient(one.backward_seconds(), one.forward);
       })},
      {"samples a second", "samples_per_second", thousandths,
       [&](const Step& step) { return paper_training_samples_per_second(step, whole_step(step)); }},
      {"gradients, MB", "gradient_bytes", mega, of_worker(&WorkerStep::gradient_bytes)},
      {"framework, ms", "framework_seconds", milli, framework},
      {"BR", "benanza_ratio", thousandths,
       [&](const Step& step) { return quotient(whole_step(step), framework(step)); }}};
  section.add(table.sheet(
      steps,
      {.name = "training_" + word, .caption = "Training steps at " + word, .all_rows = true}));
  section.add(bars({.title = "Training steps, " + word + ": ms",
                    .series = {{"forward"}, {"backward"}, {"update"}},
                    .unit = "ms",
                    .stacked = true},
                   steps, step_name, ms_of(&WorkerStep::forward),
                   ms_of(&WorkerStep::backward_seconds), ms_of(&WorkerStep::update)));
}

/// Adds the scaling with DDP's buckets and the measured all-reduces; nothing if there are none.
void add_scaling(Section& section, const std::vector<Step>& steps, const Cluster& cluster,
                 const std::string& word) {
  const auto ranks = cluster.inside.ranks_of(CollectiveKind::all_reduce);
  if (ranks.empty()) return;
  const Strategy buckets{
      .name = "buckets of 25 MB", .overlap = {.input = true, .communication = true}, .buckets = {}};
  struct Row {
    std::string model;
    Scaling scaling;
  };
  std::vector<Row> rows;
  Bars plot{.title = "Efficiency, " + word};
  for (const std::int64_t gpus : ranks) plot.series.push_back({std::to_string(gpus) + " GPUs", {}});
  for (const Step& step : steps) {
    plot.categories.push_back(step_name(step));
    auto series = plot.series.begin();
    for (const Scaling& one : scalings(step.worker, {}, cluster, ranks, {buckets})) {
      rows.push_back({step_name(step), one});
      (series++)->values.push_back(one.iteration ? std::optional(one.efficiency) : std::nullopt);
    }
  }
  const auto known = [](auto of) {
    return [of](const Row& row) {
      return row.scaling.iteration ? std::optional(of(row.scaling)) : std::nullopt;
    };
  };
  const Table<Row> table{
      {"model", "model", &Row::model},
      {"GPUs", "gpus", [](const Row& row) { return row.scaling.gpus; }},
      {"step, ms", "seconds", milli,
       known([](const Scaling& one) { return one.iteration->seconds; })},
      {"exposed communication, ms", "exposed_communication_seconds", milli,
       known([](const Scaling& one) { return one.iteration->exposed_communication_seconds; })},
      {"speed-up", "speed_up", times, known([](const Scaling& one) { return one.speed_up; })},
      {"efficiency", "efficiency", percent,
       known([](const Scaling& one) { return one.efficiency; })}};
  section.add(table.sheet(rows, {.name = "scaling_" + word,
                                 .caption = "Steps on several GPUs at " + word +
                                            ", gradients in fp32 and buckets of 25 MB, sent while "
                                            "the backward pass goes on",
                                 .all_rows = true}));
  section.add(std::move(plot));
}

std::optional<Section> paper_training_section(const Study& study) {
  Cluster cluster{.inside = study.collectives};
  const auto ranks = cluster.inside.ranks_of(CollectiveKind::all_reduce);
  if (!ranks.empty()) cluster.gpus_per_node = ranks.back();
  Section section;
  section.add(
      "The bound of a training step, derived from the model call by call: forward, cross entropy, "
      "backward, update. BR: the bound over the framework's step. Gradients are counted in fp32.");
  std::vector<const StudiedModel*> all;
  for (const Precision precision : study.precisions()) {
    const std::vector<Step> steps = steps_at(study, precision);
    if (steps.empty()) continue;
    for (const Step& step : steps) all.push_back(step.model);
    const std::string word(to_string(precision));
    add_steps(section, steps, word);
    add_scaling(section, steps, cluster, word);
  }
  if (all.empty()) return std::nullopt;
  if (auto note = note_on_marks(all)) section.add(*std::move(note));
  return section;
}

}  // namespace

Chapter training_chapter() {
  return {.title = "Training", .section = paper_training_section, .place = 82};
}

}  // namespace benanza::analysis
