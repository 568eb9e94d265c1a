#include "analysis/questions/training/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {

const DataParallel* data_parallel_of(const Profile* profile) {
  return profile != nullptr && profile->data_parallel ? &*profile->data_parallel : nullptr;
}

void add_measured(Section& section, const std::string& framework, const DataParallel& measured,
                  const std::vector<Scaling>& all, const std::string& buckets) {
  const double seconds = median(measured.latency_seconds);
  section.facts["measured_gpus"] = measured.workers;
  section.facts["measured_seconds"] = seconds;
  std::string text =
      fmt::format("{} on {} GPUs: measured {}", framework, measured.workers, milliseconds(seconds));
  const auto predicted = std::ranges::find_if(all, [&](const Scaling& one) {
    return one.gpus == measured.workers && one.strategy == buckets && one.iteration;
  });
  if (predicted != all.end()) {
    const double estimate = predicted->iteration->seconds;
    section.facts["predicted_seconds"] = estimate;
    text += fmt::format(", predicted {} ({}): {:+.1f}%", milliseconds(estimate), buckets,
                        100 * (estimate / seconds - 1));
  }
  section.add(text + ".");
}

}  // namespace benanza::analysis
