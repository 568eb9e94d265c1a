// Recorded programs: flat profiles, counters, idle time by its cause, and how fast the kernels ran.

#include "analysis/questions/paper/study.h"
#include "analysis/questions/profile/section.h"

namespace benanza::analysis {
namespace {

std::optional<Section> paper_recordings_section(const Study& study) {
  if (study.recordings.empty()) return std::nullopt;
  Section section = profile_overview(study.recordings);
  add_profile_plots(section, study.recordings);
  add_profile_tables(section, study.recordings);
  section.csv = {};
  for (Block& block : section.blocks) {
    auto* const sheet = std::get_if<Sheet>(&block);
    if (sheet != nullptr && !sheet->name.empty()) sheet->name = "recordings_" + sheet->name;
  }
  return section;
}

}  // namespace

Chapter recordings_chapter() {
  return {.title = "Recorded programs", .section = paper_recordings_section, .place = 86};
}

}  // namespace benanza::analysis
