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

std::optional<Section> section(const Study& study) {
  Sheet sheet = frameworks_sheet("frameworks");
  sheet.columns.insert(sheet.columns.begin(), {"model", "model"});
  for (const StudiedModel& model : study.models) {
    const Subject& subject = model.subject();
    for (const Profile& profile : subject.inputs.profiles) {
      const bool is_shown = is_of(profile, subject.graph) && has_kernels(profile) &&
                            profile.precision == to_string(subject.filter.precision);
      if (!is_shown) continue;
      const auto bound = bound_seconds(model, "/bounds/sequential/seconds");
      sheet.rows.push_back(framework_cells(profile, model.is_partial() ? std::nullopt : bound));
      sheet.rows.back().insert(sheet.rows.back().begin(), text_cell(model.name()));
    }
  }
  if (sheet.rows.empty()) return std::nullopt;
  Section section;
  section.add("One run of each model, as its framework's profiler recorded it.");
  section.add(std::move(sheet));
  return section;
}

}  // namespace

Chapter frameworks_chapter() { return {.title = "Frameworks", .section = section, .place = 84}; }

}  // namespace benanza::analysis
