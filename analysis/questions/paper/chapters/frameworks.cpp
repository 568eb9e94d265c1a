// Frameworks on the same network: kernels, libraries, Tensor Cores, idle GPUs and copies.

#include <algorithm>

#include "analysis/profile_match/same_model.h"
#include "analysis/questions/frameworks/sheet.h"
#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

bool has_kernels(const Profile& profile) {
  return std::ranges::any_of(profile.nodes,
                             [](const ProfiledNode& node) { return !node.kernels.empty(); });
}

std::optional<Section> paper_frameworks_section(const Study& study) {
  std::vector<FrameworkRow> rows;
  for (const StudiedModel& model : study.models) {
    const Subject& subject = model.subject();
    for (const Profile& profile : subject.inputs.profiles) {
      const bool is_shown = is_of(profile, subject.graph) && has_kernels(profile) &&
                            profile.precision == to_string(subject.filter.precision);
      if (!is_shown) continue;
      const auto bound = bound_seconds(model, "/bounds/sequential/seconds");
      rows.push_back(
          framework_row(profile, model.is_partial() ? std::nullopt : bound, model.name()));
    }
  }
  if (rows.empty()) return std::nullopt;
  Section section;
  section.add("One run of each model, as its framework's profiler recorded it.");
  section.add(frameworks_sheet(rows, true));
  return section;
}

}  // namespace

Chapter frameworks_chapter() {
  return {.title = "Frameworks", .section = paper_frameworks_section, .place = 84};
}

}  // namespace benanza::analysis
