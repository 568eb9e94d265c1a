#include "analysis/profiles/file/event_pairs.h"

#include <algorithm>

namespace benanza::analysis {

void EventPairs::take(const TraceEvent& event, const Use& use) {
  if (event.phase != "B" && event.phase != "E") return use(event);
  std::vector<Part>& parts = parts_[(event.process ? event.process->json() : "null") + '/' +
                                    (event.thread ? event.thread->json() : "null")];
  const bool begins = event.phase == "B";
  const double before = parts.empty() ? 0 : parts.back().place;
  parts.push_back({.begins = begins,
                   .start = event.start,
                   .place = event.start.value_or(before),
                   .name = std::string(event.name.value_or("")),
                   .event = begins || event.arguments ? event.json() : ""});
}

void EventPairs::finish(const Use& use) {
  for (auto& [thread, parts] : parts_) finish(parts, use);
  parts_.clear();
}

void EventPairs::finish(std::vector<Part>& parts, const Use& use) {
  if (!std::ranges::is_sorted(parts, {}, &Part::place)) {
    std::ranges::stable_sort(parts, {}, &Part::place);
  }
  std::vector<const Part*> open;
  for (const Part& part : parts) {
    if (part.begins) {
      open.push_back(&part);
      continue;
    }
    const auto is_its = [&](const Part* begin) {
      return part.name.empty() || begin->name == part.name;
    };
    const auto begin = std::find_if(open.rbegin(), open.rend(), is_its);
    if (begin == open.rend()) {
      ++unpaired_;
      continue;
    }
    use_whole(**begin, part, use);
    open.erase(std::next(begin).base());
  }
  unpaired_ += open.size();
}

void EventPairs::use_whole(const Part& begin, const Part& end, const Use& use) {
  simdjson::dom::object members;
  if (parser_.parse(begin.event).get(members) != simdjson::SUCCESS) return;
  TraceEvent whole(members);
  whole.phase = "X";
  whole.start = begin.start;
  whole.duration.reset();
  if (begin.start && end.start) whole.duration = *end.start - *begin.start;
  simdjson::dom::element arguments;
  if (!whole.arguments && !end.event.empty() &&
      parser_of_ends_.parse(end.event)["args"].get(arguments) == simdjson::SUCCESS) {
    whole.arguments.emplace(arguments);
  }
  use(whole);
}

}  // namespace benanza::analysis
