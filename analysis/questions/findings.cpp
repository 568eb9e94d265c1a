// benanza-analyze findings: what costs time, and what to do about it.

#include "analysis/questions/findings/judge.h"

#include <memory>

#include "analysis/questions/common/question.h"

namespace benanza::analysis {
namespace {

/// None of calls from cold caches, whose sums are no bounds.
std::optional<Section> findings_answer(const Subject& subject) {
  if (subject.filter.cold) return std::nullopt;
  const BoundReport bound = full_report(subject);
  return findings_section(Matter(subject, bound));
}

/// The first findings, with which a report begins.
std::optional<Section> findings_chapter(const Subject& subject) {
  if (subject.filter.cold) return std::nullopt;
  const BoundReport bound = full_report(subject);
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  begin_with_findings(section, Matter(subject, bound));
  return section;
}

Action ask_findings(Flags& flags) {
  const auto options = std::make_shared<CommonFlags>();
  add_common_flags(flags, *options);
  add_seen_flag(flags, *options);
  add_sequence_flag(flags, *options);
  add_plan_flag(flags, *options);
  return [options] {
    const Inputs inputs = read_inputs(*options);
    require_seen(inputs);
    print(page_of("findings", inputs, findings_answer), inputs);
  };
}

}  // namespace

Question findings_question() {
  return {.name = "findings",
          .help = "What costs time, how much, and what to do about it, the most valuable first",
          .section = findings_chapter,
          .ask = ask_findings,
          .chapter = "findings",
          .place = 5};
}

}  // namespace benanza::analysis
