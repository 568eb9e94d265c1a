// Training steps: the times of forward pass, backward pass and update, and scaling to several GPUs.

#include "analysis/model/whole.h"
#include "analysis/questions/paper/study.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/questions/training/worker.h"

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
    const auto times =
        operator_times(subject.graph, subject.measurements(), subject.filter, subject.movement());
    const auto seconds = shared_seconds(times, subject.movement());
    steps.push_back({model, worker_step(subject.graph, seconds, fp32_bytes)});
    if (!(steps.back().worker.compute_seconds() > 0)) steps.pop_back();
  }
  return steps;
}

std::optional<double> samples_per_second(const Step& step, double seconds) {
  const auto& batch = step.model->subject().graph.batch;
  return batch ? ratio(static_cast<double>(*batch), seconds) : std::nullopt;
}

void add_steps(Section& section, const std::vector<Step>& steps, const std::string& word) {
  Sheet sheet{.name = "training_" + word,
              .caption = "Training steps at " + word,
              .columns = {{"model", "model"},
                          {"forward, ms", "forward_seconds", true},
                          {"backward, ms", "backward_seconds", true},
                          {"update, ms", "update_seconds", true},
                          {"step, ms", "step_seconds", true},
                          {"backward of forward", "backward_ratio", true},
                          {"samples a second", "samples_per_second", true},
                          {"gradients, MB", "gradient_bytes", true},
                          {"framework, ms", "framework_seconds", true},
                          {"BR", "benanza_ratio", true}},
              .all_rows = true};
  Bars bars{.title = "Training steps, " + word + ": ms",
            .series = {{"forward", {}}, {"backward", {}}, {"update", {}}},
            .unit = "ms",
            .stacked = true};
  for (const Step& step : steps) {
    const WorkerStep& worker = step.worker;
    const double whole = worker.compute_seconds();
    const auto framework = step.model->number("bound", "/profiles/0/latency_seconds");
    sheet.rows.push_back(
        {text_cell(marked(*step.model)), ms_cell(worker.forward),
         ms_cell(worker.backward_seconds()), ms_cell(worker.update), ms_cell(whole),
         ratio_cell(ratio(worker.backward_seconds(), worker.forward)),
         ratio_cell(samples_per_second(step, whole)), megabytes_cell(worker.gradient_bytes()),
         ms_cell(framework), ratio_cell(ratio(whole, framework))});
    bars.categories.push_back(marked(*step.model));
    const double parts[] = {worker.forward, worker.backward_seconds(), worker.update};
    for (std::size_t i = 0; i < bars.series.size(); ++i) {
      bars.series[i].values.emplace_back(parts[i] * 1e3);
    }
  }
  section.add(std::move(sheet));
  section.add(std::move(bars));
}

/// Adds the scaling with DDP's buckets and the measured all-reduces; nothing if there are none.
void add_scaling(Section& section, const std::vector<Step>& steps, const Cluster& cluster,
                 const std::string& word) {
  const auto ranks = cluster.inside.ranks_of(CollectiveKind::all_reduce);
  if (ranks.empty()) return;
  const Strategy buckets{
      .name = "buckets of 25 MB", .overlap = {.input = true, .communication = true}, .buckets = {}};
  Sheet sheet{.name = "scaling_" + word,
              .caption = "Steps on several GPUs at " + word +
                         ", gradients in fp32 and buckets of "
                         "25 MB, sent while the backward pass goes on",
              .columns = {{"model", "model"},
                          {"GPUs", "gpus", true},
                          {"step, ms", "seconds", true},
                          {"exposed communication, ms", "exposed_communication_seconds", true},
                          {"speed-up", "speed_up", true},
                          {"efficiency", "efficiency", true}},
              .all_rows = true};
  Bars bars{.title = "Efficiency, " + word, .series = {}};
  for (const std::int64_t gpus : ranks) bars.series.push_back({std::to_string(gpus) + " GPUs", {}});
  for (const Step& step : steps) {
    bars.categories.push_back(marked(*step.model));
    std::size_t series = 0;
    for (const Scaling& one : scalings(step.worker, {}, cluster, ranks, {buckets})) {
      const auto& found = one.iteration;
      sheet.rows.push_back(
          {text_cell(marked(*step.model)), count_cell(static_cast<std::size_t>(one.gpus)),
           ms_cell(found ? std::optional(found->seconds) : std::nullopt),
           ms_cell(found ? std::optional(found->exposed_communication_seconds) : std::nullopt),
           factor_cell(found ? std::optional(one.speed_up) : std::nullopt),
           percent_cell(found ? std::optional(one.efficiency) : std::nullopt)});
      bars.series.at(series++).values.push_back(found ? std::optional(one.efficiency)
                                                      : std::nullopt);
    }
  }
  section.add(std::move(sheet));
  section.add(std::move(bars));
}

std::optional<Section> section(const Study& study) {
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

Chapter training_chapter() { return {.title = "Training", .section = section, .place = 82}; }

}  // namespace benanza::analysis
