#include "analysis/profiles/file/event_pairs.h"

namespace benanza::analysis {

void EventPairs::take(const TraceEvent& event,
                      const std::function<void(const TraceEvent& event)>& use) {
  if (event.phase != "B" && event.phase != "E") return use(event);
  std::vector<Beginning>& open = open_[(event.process ? event.process->json() : "null") + '/' +
                                       (event.thread ? event.thread->json() : "null")];
  if (event.phase == "B") {
    open.push_back({event.json(), event.start});
    return;
  }
  if (open.empty()) {
    ++ends_alone_;
    return;
  }
  const Beginning begun = std::move(open.back());
  open.pop_back();
  simdjson::dom::object members;
  if (parser_.parse(begun.event).get(members) != simdjson::SUCCESS) return;
  TraceEvent whole(members);
  whole.phase = "X";
  whole.start = begun.start;
  if (whole.start && event.start) whole.duration = *event.start - *whole.start;
  use(whole);
}

std::size_t EventPairs::unpaired() const {
  std::size_t count = ends_alone_;
  for (const auto& [thread, open] : open_) count += open.size();
  return count;
}

}  // namespace benanza::analysis
