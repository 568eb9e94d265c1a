#include "analysis/recordings/perfetto.h"

#include <nlohmann/json.hpp>

#include "core/recording/recording.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

void add_event(std::string& text, const ordered_json& event) {
  text += text.ends_with('[') ? "\n" : ",\n";
  text += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string perfetto_trace(const std::vector<std::string>& recordings) {
  std::string text = R"({"displayTimeUnit": "ms", "traceEvents": [)";
  for (std::size_t recording = 0; recording < recordings.size(); ++recording) {
    const RecordingReader reader(recordings[recording]);
    const std::size_t process = recording + 1;
    add_event(text, {{"name", "process_name"},
                     {"ph", "M"},
                     {"pid", process},
                     {"args", {{"name", recordings[recording]}}}});
    double end = 0;
    reader.for_each([&](const ArrivedCall& call) {
      const double seconds = call.milliseconds.value_or(0) * 1e-3;
      const double begin = call.started   ? *call.started
                           : call.arrived ? *call.arrived - seconds
                                          : end;
      end = begin + seconds;
      add_event(text, {{"name", call.text.kind},
                       {"cat", call.text.source},
                       {"ph", "X"},
                       {"ts", begin * 1e6},
                       {"dur", seconds * 1e6},
                       {"pid", process},
                       {"tid", call.process.value_or(1)},
                       {"args",
                        {{"implementation", call.text.implementation},
                         {"prop_kind", call.text.prop_kind},
                         {"problem", call.text.problem},
                         {"memory", call.text.memory},
                         {"attributes", call.text.attributes},
                         {"auxiliary", call.text.auxiliary}}}});
    });
  }
  return text + "\n]}\n";
}

}  // namespace benanza::analysis
