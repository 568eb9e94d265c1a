#include "analysis/questions/report/trace.h"

#include <nlohmann/json.hpp>

#include "analysis/model/critical_path.h"
#include "analysis/questions/common/subject.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

class Trace {
 public:
  /// Starts a named process; the following events belong to it.
  void process(const std::string& name) {
    ++process_;
    events_.push_back({{"name", "process_name"},
                       {"ph", "M"},
                       {"pid", process_},
                       {"tid", 0},
                       {"args", {{"name", name}}}});
  }
  void add(const std::string& name, std::size_t thread, double start, double seconds,
           const ordered_json& details) {
    events_.push_back({{"name", name},
                       {"cat", "layer"},
                       {"ph", "X"},
                       {"pid", process_},
                       {"tid", thread},
                       {"ts", start * 1e6},
                       {"dur", seconds * 1e6},
                       {"args", details}});
  }
  std::string text(const std::string& title) const {
    const ordered_json root = {
        {"displayTimeUnit", "ns"}, {"otherData", {{"title", title}}}, {"traceEvents", events_}};
    return root.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
  }

 private:
  int process_ = 0;
  ordered_json events_ = ordered_json::array();
};

void add_slots(Trace& trace, const Graph& graph, const std::vector<LayerTime>& times,
               const std::vector<Slot>& slots) {
  for (const Slot& slot : slots) {
    const Layer& layer = graph.layers[slot.layer];
    trace.add(layer.name, slot.lane, slot.start, slot.finish - slot.start,
              {{"op", layer.op}, {"calls", calls_text(times[slot.layer])}});
  }
}

}  // namespace

std::string trace_json(const Graph& graph, const std::vector<LayerTime>& times, Movement movement,
                       const Profile* profile) {
  const std::vector<double> seconds = counted_seconds(times, movement);
  Trace trace;
  trace.process("lower bound, parallel");
  add_slots(trace, graph, times, parallel_schedule(graph.layers, seconds));
  trace.process("lower bound, sequential");
  add_slots(trace, graph, times, sequential_schedule(graph.layers, seconds));
  if (profile != nullptr) {
    trace.process(profile->framework + ", operators one after the other");
    double now = 0;
    for (const ProfiledNode& node : profile->nodes) {
      trace.add(node.name, 0, now, node.seconds, {{"op", node.op}, {"origin", node.origin}});
      now += node.seconds;
    }
  }
  return trace.text(title(graph));
}

}  // namespace benanza::analysis
