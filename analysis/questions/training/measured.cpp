#include "analysis/questions/training/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/render/text.h"
#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// Null if nothing was measured.
CommunicationCost copy_cost(const std::map<double, double>& copies) {
  if (copies.empty()) return nullptr;
  return cost_of(CollectiveCurve(copies), "copies on the device");
}

}  // namespace

bool has_phases(const Graph& graph) {
  return std::ranges::any_of(graph.layers,
                             [](const Layer& layer) { return layer.phase == "backward"; });
}

WorkerStep worker_step(const Graph& graph, const std::vector<double>& seconds, double element_bytes,
                       const GradientCopies& copies) {
  if (!has_phases(graph)) {
    throw Error(title(graph) +
                ": its layers have no phases: give the graph of a training step "
                "(benanza-generate --training)");
  }
  WorkerStep step;
  for (const std::size_t layer : topological_order(graph.layers)) {
    const std::string& phase = graph.layers[layer].phase;
    if (phase == "backward") {
      BackwardLayer own{.seconds = seconds[layer]};
      for (const std::int64_t elements : graph.layers[layer].gradients) {
        const double bytes = static_cast<double>(elements) * element_bytes;
        own.gradient_bytes += bytes;
        if (copies.pack) own.pack += copies.pack(bytes);
        if (copies.unpack) own.unpack += copies.unpack(bytes);
      }
      step.backward.push_back(own);
    } else if (phase == "update") {
      step.update += seconds[layer];
    } else {
      step.forward += seconds[layer];
    }
  }
  return step;
}

const DataParallel* data_parallel_of(const Profile* profile) {
  return profile != nullptr && profile->data_parallel ? &*profile->data_parallel : nullptr;
}

OwnWork own_work_of(const DataParallel* measured) {
  OwnWork work;
  if (measured == nullptr) return work;
  const std::vector<double>& workers = measured->worker_seconds;
  if (!workers.empty()) work.together.slowest = std::ranges::max(workers) / workers.front();
  work.together.message_slowdown = measured->message_slowdown.value_or(1);
  work.together.host = measured->host_seconds.value_or(0);
  work.buffers = measured->buffers;
  work.copy = copy_cost(measured->copies);
  return work;
}

GradientCopies gradient_copies_of(const DataParallel* measured) {
  if (measured == nullptr) return {};
  return {.pack = copy_cost(measured->scaled_copies), .unpack = copy_cost(measured->copies)};
}

void add_own_work(Section& section, const Scaling& one, const DataParallel& measured) {
  const Iteration& found = *one.iteration;
  std::string text = fmt::format("{} GPUs", one.gpus);
  const auto add = [&](std::string_view what, const char* fact, double seconds,
                       std::optional<double> alone) {
    section.facts[fact] = seconds;
    text += fmt::format(", {} {}", what, milliseconds(seconds));
    if (alone) text += fmt::format(" (measured alone {})", milliseconds(*alone));
  };
  add("buffers", "buffers_seconds", found.buffers_seconds, measured.buffers_seconds);
  add("gradients into buckets", "pack_seconds", found.pack_seconds, measured.pack_seconds);
  add("back", "unpack_seconds", found.unpack_seconds, measured.unpack_seconds);
  add("the slowest worker", "slowest_seconds", found.slowest_seconds, std::nullopt);
  add("contention", "contention_seconds", found.contention_seconds, std::nullopt);
  add("exposed communication", "exposed_communication_seconds", found.exposed_communication_seconds,
      std::nullopt);
  add("the host", "host_seconds", found.host_seconds, std::nullopt);
  section.add(Entry{"beside it", text});
}

void add_measured(Section& section, const std::string& framework, const DataParallel& measured,
                  const std::vector<Scaling>& all, const std::string& buckets) {
  section.facts["measured_gpus"] = measured.workers;
  std::string text = fmt::format("{} on {} GPUs: ", framework, measured.workers);
  std::optional<double> seconds;
  if (measured.latency_seconds) {
    seconds = median(*measured.latency_seconds);
    section.facts["measured_seconds"] = *seconds;
    text += "measured " + milliseconds(*seconds);
  } else {
    text += "not measured";
  }
  const auto predicted = std::ranges::find_if(all, [&](const Scaling& one) {
    return one.gpus == measured.workers && one.strategy == buckets && one.iteration;
  });
  if (predicted != all.end()) {
    add_own_work(section, *predicted, measured);
    const double estimate = predicted->iteration->seconds;
    section.facts["predicted_seconds"] = estimate;
    text += fmt::format(", predicted {} ({})", milliseconds(estimate), buckets);
    if (seconds) text += fmt::format(": {:+.1f}%", 100 * (estimate / *seconds - 1));
  }
  section.add(text + ".");
}

}  // namespace benanza::analysis
