#include "record/views/perfetto.h"

#include <nlohmann/json.hpp>
#include <set>

#include "record/store/recording.h"
#include "record/views/memory_profile.h"

namespace benanza {
namespace {

using nlohmann::ordered_json;

void add_event(std::string& text, const ordered_json& event) {
  text += text.ends_with('[') ? "\n" : ",\n";
  text += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Adds GPU activity: a process' calls and ranges by thread, its kernels and copies by stream.
void add_devices(std::string& text, std::size_t recording, const DeviceRecording& devices) {
  // Different recordings may have equal process ids, and streams the ids of threads.
  const auto process = [&](std::int64_t id) {
    return static_cast<std::int64_t>(recording) * 100'000'000 + id;
  };
  const auto add = [&](const std::string& name, const char* category, std::int64_t start,
                       std::int64_t end, std::int64_t pid, std::int64_t thread,
                       ordered_json details) {
    add_event(text, {{"name", name},
                     {"cat", category},
                     {"ph", "X"},
                     {"ts", static_cast<double>(start) * 1e-3},
                     {"dur", static_cast<double>(end - start) * 1e-3},
                     {"pid", process(pid)},
                     {"tid", thread},
                     {"args", std::move(details)}});
  };
  std::set<std::pair<std::int64_t, std::int64_t>> streams;
  for (const auto& work : devices.work) {
    const std::int64_t stream = 1'000'000'000 + work.device * std::int64_t{1'000'000} + work.stream;
    if (streams.emplace(work.process, stream).second) {
      add_event(text, {{"name", "thread_name"},
                       {"ph", "M"},
                       {"pid", process(work.process)},
                       {"tid", stream},
                       {"args",
                        {{"name", "GPU " + std::to_string(work.device) + " stream " +
                                      std::to_string(work.stream)}}}});
    }
    const bool is_copy = work.kind == DeviceRecording::Work::Kind::copy;
    ordered_json details{{"correlation", work.correlation}};
    if (is_copy) details["bytes"] = work.bytes;
    add(devices.names[work.name], is_copy ? "copy" : "kernel", work.start, work.end, work.process,
        stream, std::move(details));
  }
  for (const auto& call : devices.api) {
    add(devices.names[call.name], "cuda", call.start, call.end, call.process, call.thread,
        {{"correlation", call.correlation}});
  }
  for (const HeldMemory& held : held_memory(devices)) {
    for (const auto& [seconds, bytes] : held.steps) {
      add_event(text, {{"name", "GPU " + std::to_string(held.device) + " memory, " + held.kind},
                       {"ph", "C"},
                       {"ts", seconds * 1e6},
                       {"pid", process(held.process)},
                       {"args", {{"bytes", bytes}}}});
    }
  }
  for (const auto& range : devices.ranges) {
    if (!range.end) continue;
    add(devices.names[range.name], "nvtx", range.start, *range.end, range.process, range.thread,
        ordered_json::object());
  }
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
      // Logs of GPU libraries have no times: the kernels do.
      if (!call.milliseconds) return;
      const double seconds = *call.milliseconds * 1e-3;
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
    add_devices(text, recording, reader.devices());
  }
  return text + "\n]}\n";
}

}  // namespace benanza
