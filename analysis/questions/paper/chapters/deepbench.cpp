// DeepBench's lists compared with its authors' published times.

#include <algorithm>

#include "analysis/questions/common/question.h"
#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> paper_deepbench_section(const Study& study) {
  const std::vector<Question> all = questions();
  const auto question = std::ranges::find(all, "deepbench", &Question::name);
  Section whole;
  for (const StudiedModel& list : study.lists) {
    std::optional<Section> one = question->section(list.subject());
    if (!one) continue;
    const std::string name =
        list.subject().graph.model + '_' + std::string(to_string(list.subject().filter.precision));
    whole.add(one->heading);
    for (Block& block : one->blocks) {
      if (Sheet* const sheet = std::get_if<Sheet>(&block)) sheet->name = name + '_' + sheet->name;
      if (Bars* const bars = std::get_if<Bars>(&block)) bars->title = name + ", " + bars->title;
      whole.add(std::move(block));
    }
  }
  if (whole.blocks.empty()) return std::nullopt;
  return whole;
}

}  // namespace

Chapter deepbench_chapter() {
  return {.title = "DeepBench", .section = paper_deepbench_section, .place = 84};
}

}  // namespace benanza::analysis
