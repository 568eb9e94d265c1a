#include "record/views/tau.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "record/views/nested.h"

namespace benanza {
namespace {

using GpuWork = DeviceRecording::Work;

constexpr const char* root = ".TAU application";

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-3; }

/// The activity of one thread, as named spans.
struct Track {
  std::vector<Nested> spans{};
  std::vector<std::string> names{};
  std::vector<std::string> groups{};

  void add(std::int64_t start, std::int64_t end, std::string name, const char* group) {
    spans.push_back({start, end, names.size()});
    names.push_back(std::move(name));
    groups.emplace_back(group);
  }
};

TauThread thread_of(Track track, std::string title) {
  TauThread thread{.title = std::move(title)};
  const Enclosing enclosing(std::move(track.spans));
  const auto own = enclosing.own_times();
  const auto inclusive =
      inclusive_times(enclosing, [&](std::size_t index) { return track.names[index]; });
  const auto& spans = enclosing.spans();
  const auto& outer = enclosing.outer();
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t top = 0;
  auto& all = thread.timers[root];
  all.group = "TAU_USER";
  all.calls = 1;
  for (std::size_t at = 0; at < spans.size(); ++at) {
    const std::string& name = track.names[spans[at].index];
    auto& timer = thread.timers[name];
    timer.group = track.groups[spans[at].index];
    timer.calls += 1;
    timer.exclusive_microseconds += microseconds(own[at]);
    timer.inclusive_microseconds += microseconds(inclusive[at]);
    if (outer[at]) {
      thread.timers[track.names[spans[*outer[at]].index]].calls_inside += 1;
    } else {
      all.calls_inside += 1;
      // Kernels of one stream may overlap.
      top += std::max<std::int64_t>(0, spans[at].end - std::max(spans[at].start, end));
    }
    begin = at == 0 ? spans[at].start : begin;
    end = at == 0 ? spans[at].end : std::max(end, spans[at].end);
  }
  all.inclusive_microseconds = microseconds(end - begin);
  all.exclusive_microseconds = microseconds(std::max<std::int64_t>(0, end - begin - top));
  return thread;
}

void count(TauThread::Event& event, double value) {
  event.largest = event.count == 0 ? value : std::max(event.largest, value);
  event.smallest = event.count == 0 ? value : std::min(event.smallest, value);
  event.count += 1;
  event.sum += value;
  event.sum_of_squares += value * value;
}

std::vector<TauThread> process_threads(const DeviceRecording& recording, std::int64_t process) {
  std::map<std::int64_t, Track> hosts;
  for (const auto& call : recording.api) {
    if (call.process != process) continue;
    hosts[call.thread].add(call.start, call.end, recording.names[call.name], "CUDA_API");
  }
  for (const auto& range : recording.ranges) {
    if (range.process != process || !range.end) continue;
    hosts[range.thread].add(range.start, *range.end, recording.names[range.name], "NVTX");
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Track> streams;
  std::map<std::pair<std::uint32_t, std::uint32_t>, TauThread> counts;
  for (const GpuWork& work : recording.work) {
    if (work.process != process) continue;
    const std::pair place{work.device, work.stream};
    const bool is_copy = work.kind == GpuWork::Kind::copy;
    const std::string name = (is_copy ? "copy " : "") + recording.names[work.name];
    streams[place].add(work.start, work.end, name, is_copy ? "CUDA_COPY" : "CUDA_KERNEL");
    if (is_copy) {
      count(counts[place].events["Bytes " + name], static_cast<double>(work.bytes));
    }
  }
  std::vector<TauThread> threads;
  for (auto& [thread, track] : hosts) {
    threads.push_back(thread_of(std::move(track), fmt::format("thread {}", thread)));
  }
  for (auto& [place, track] : streams) {
    threads.push_back(
        thread_of(std::move(track), fmt::format("GPU {} stream {}", place.first, place.second)));
    threads.back().events = std::move(counts[place].events);
  }
  return threads;
}

/// The calls of oneDNN, as if one thread made them one after the other.
TauThread host_calls(const RecordingReader& reader) {
  TauThread thread{.title = "calls of oneDNN"};
  auto& all = thread.timers[root];
  all.group = "TAU_USER";
  all.calls = 1;
  for (const CallTotal& total : reader.totals()) {
    if (total.timed_calls == 0) continue;
    auto& timer = thread.timers[total.text.kind];
    timer.group = "ONEDNN";
    timer.calls += static_cast<double>(total.calls);
    timer.exclusive_microseconds += total.seconds * 1e6;
    timer.inclusive_microseconds += total.seconds * 1e6;
    all.calls_inside += static_cast<double>(total.calls);
    all.inclusive_microseconds += total.seconds * 1e6;
  }
  if (const auto seconds = reader.run().seconds) {
    const double inside = all.inclusive_microseconds;
    all.inclusive_microseconds = std::max(inside, *seconds * 1e6);
    all.exclusive_microseconds = all.inclusive_microseconds - inside;
  }
  return thread;
}

std::string cleaned(std::string name) {
  std::ranges::replace(name, '"', '\'');
  std::ranges::replace(name, '\n', ' ');
  return name;
}

std::string xml(const std::string& text) {
  std::string result;
  for (const char letter : cleaned(text)) {
    if (letter == '<') {
      result += "&lt;";
    } else if (letter == '&') {
      result += "&amp;";
    } else {
      result += letter;
    }
  }
  return result;
}

}  // namespace

std::vector<std::vector<TauThread>> tau_threads(const RecordingReader& reader) {
  const DeviceRecording recording = reader.devices();
  std::vector<std::vector<TauThread>> nodes;
  TauThread host = host_calls(reader);
  if (host.timers.size() > 1) nodes.push_back({std::move(host)});
  for (const std::int64_t process : recording.processes) {
    auto threads = process_threads(recording, process);
    if (!threads.empty()) nodes.push_back(std::move(threads));
  }
  return nodes;
}

std::string tau_text(const TauThread& thread) {
  std::string text = fmt::format("{} templated_functions_MULTI_TIME\n", thread.timers.size());
  text +=
      "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Thread</name>"
      "<value>" +
      xml(thread.title) + "</value></attribute></metadata>\n";
  for (const auto& [name, timer] : thread.timers) {
    text += fmt::format("\"{}\" {:.16G} {:.16G} {:.16G} {:.16G} 0 GROUP=\"{}\"\n", cleaned(name),
                        timer.calls, timer.calls_inside, timer.exclusive_microseconds,
                        timer.inclusive_microseconds, timer.group);
  }
  text += "0 aggregates\n";
  if (thread.events.empty()) return text;
  text += fmt::format("{} userevents\n# eventname numevents max min mean sumsqr\n",
                      thread.events.size());
  for (const auto& [name, event] : thread.events) {
    text +=
        fmt::format("\"{}\" {:.16G} {:.16G} {:.16G} {:.16G} {:.16G}\n", cleaned(name), event.count,
                    event.largest, event.smallest, event.sum / event.count, event.sum_of_squares);
  }
  return text;
}

void write_tau(const RecordingReader& reader, const std::filesystem::path& folder) {
  make_directories(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("profile.")) {
      throw Error(folder.string() + ": holds profiles already; --tau wants a folder of its own");
    }
  }
  const auto nodes = tau_threads(reader);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (std::size_t thread = 0; thread < nodes[node].size(); ++thread) {
      write_file(folder / fmt::format("profile.{}.0.{}", node, thread),
                 tau_text(nodes[node][thread]));
    }
  }
}

}  // namespace benanza
