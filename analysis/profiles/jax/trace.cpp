#include "analysis/profiles/jax/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/kineto/event_reader.h"
#include "core/base/text.h"

namespace benanza::analysis::jax {
namespace {

/// An event of an instruction or a device, as the trace has it.
struct Row {
  InstructionRun run{};
  std::int64_t correlation = kineto::no_id;
  Index process = 0;
  /// A thread of the process: a stream, or what the profiler derived from the streams.
  Index line = 0;
};

struct StepMark {
  StepWindow window{};
  Index process = 0;
};

struct Launch {
  std::int64_t correlation = 0;
  double start = 0;
  Index process = 0;
};

/// What a kernel and its launch have in common.
std::int64_t correlation_of(const TraceEvent& event) {
  const auto found = event.argument("correlation_id");
  if (!found) return kineto::no_id;
  if (const auto number = found->integer()) return *number;
  const std::string_view text = found->text().value_or("");
  if (const auto number = text::number<std::int64_t>(text)) return *number;
  return static_cast<std::int64_t>(std::hash<std::string_view>()(text) >> 1U);
}

class InstructionReader {
 public:
  explicit InstructionReader(const ProfileFile& document) {
    document.for_each_event([&](const TraceEvent& event) {
      if (event.phase == "M") {
        name_line(event);
      } else if (event.phase == "X") {
        add(event);
      }
    });
  }

  Trace take() {
    settle_steps();
    std::erase_if(launches_,
                  [&](const Launch& launch) { return device_names_.contains(launch.process); });
    std::ranges::sort(launches_, {}, &Launch::correlation);
    number_devices();
    for (const Row& row : rows_) {
      const auto device = devices_.find(row.process);
      if (devices_.empty() ? row.run.instruction == no_index : device == devices_.end()) continue;
      if (!devices_.empty() && !is_own_line(row)) continue;
      keep(row, device == devices_.end() ? std::uint16_t{0} : device->second);
    }
    std::deque<Row>().swap(rows_);
    const auto less = [](const InstructionRun& a, const InstructionRun& b) {
      return a.placed() < b.placed();
    };
    if (!std::ranges::is_sorted(trace_.runs, less)) std::ranges::stable_sort(trace_.runs, less);
    trace_.names = names_.texts();
    trace_.is_tensorflow = !trace_.runs.empty() && !has_instructions_;
    add_remarks();
    return std::move(trace_);
  }

 private:
  static std::string text_of(const std::optional<EventValue>& value) {
    return value ? value->json() : "null";
  }

  /// The host's marks; a device's lines may tell them again, and so may other threads.
  void settle_steps() {
    const auto is_of_device = [&](const StepMark& mark) {
      return device_names_.contains(mark.process);
    };
    if (!std::ranges::all_of(step_marks_, is_of_device)) std::erase_if(step_marks_, is_of_device);
    std::ranges::sort(step_marks_, [](const StepMark& a, const StepMark& b) {
      return a.window.first != b.window.first ? a.window.first < b.window.first
                                              : a.window.second > b.window.second;
    });
    for (const StepMark& mark : step_marks_) {
      const bool is_told =
          !trace_.steps.empty() && mark.window.second <= trace_.steps.back().second;
      if (!is_told) trace_.steps.push_back(mark.window);
    }
  }

  void name_line(const TraceEvent& event) {
    const Index process = processes_.number(text_of(event.process));
    const std::string name(event.text_argument("name"));
    if (event.name == "process_name" && name.starts_with("/device:")) device_names_.insert(process);
    if (event.name != "thread_name") return;
    const Index line = lines_.number(text_of(event.process) + '/' + text_of(event.thread));
    if (name.starts_with("Stream")) streams_[process].insert(line);
    if (name == "XLA Ops") instructions_[process].insert(line);
  }

  void add(const TraceEvent& event) {
    if (event.argument("step_num") && event.start) {
      step_marks_.push_back({{*event.start, *event.start + event.duration.value_or(0)},
                             processes_.number(text_of(event.process))});
    }
    const Index process = processes_.number(text_of(event.process));
    const bool on_device = device_names_.contains(process);
    const std::int64_t correlation = correlation_of(event);
    if (!on_device && correlation != kineto::no_id && event.start) {
      launches_.push_back({correlation, *event.start, process});
    }
    const auto instruction = event.argument("hlo_op");
    const auto operation = on_device ? event.argument("tf_op") : std::nullopt;
    if (!instruction && !on_device) return;
    if (!event.start || !event.duration) {
      ++without_time_;
      return;
    }
    if (const std::string_view module = event.text_argument("hlo_module"); !module.empty()) {
      if (instruction) trace_.modules.emplace(module);
    }
    Row& row = rows_.emplace_back(
        Row{.run = {.start = *event.start, .duration = std::max(0.0, *event.duration)},
            .correlation = correlation,
            .process = process,
            .line = lines_.number(text_of(event.process) + '/' + text_of(event.thread))});
    has_instructions_ = has_instructions_ || instruction;
    for (const auto& name : {instruction, operation}) {
      if (row.run.instruction == no_index && name) {
        row.run.instruction = names_.number(name->text().value_or(""));
      }
    }
    row.run.kernel = names_.number(event.required_name());
  }

  /// In the order of the trace's numbers.
  void number_devices() {
    for (const Index process : device_names_) {
      const bool has_run = std::ranges::any_of(rows_, [&](const Row& row) {
        return row.process == process && row.run.instruction != no_index;
      });
      if (has_run) devices_.emplace(process, static_cast<std::uint16_t>(devices_.size()));
    }
    if (devices_.empty()) {
      for (const Index process : device_names_) devices_.emplace(process, std::uint16_t{0});
    }
    trace_.devices = static_cast<std::uint16_t>(devices_.size());
  }

  /// Beside the streams, or the instructions of a TPU, stand lines that tell the same again.
  bool is_own_line(const Row& row) const {
    for (const auto* const lines : {&streams_, &instructions_}) {
      const auto found = lines->find(row.process);
      if (found != lines->end()) return found->second.contains(row.line);
    }
    return true;
  }

  void keep(const Row& row, std::uint16_t device) {
    InstructionRun run = row.run;
    run.device = device;
    if (devices_.empty()) {
      run.kernel = no_index;
    } else if (row.correlation != kineto::no_id) {
      const auto launch =
          std::ranges::lower_bound(launches_, row.correlation, {}, &Launch::correlation);
      if (launch != launches_.end() && launch->correlation == row.correlation) {
        run.launched = launch->start;
      }
    }
    if (run.instruction != no_index) return trace_.runs.push_back(run);
    ++without_instruction_;
    microseconds_without_instruction_ += run.duration;
  }

  void add_remarks() {
    if (trace_.devices > 1) {
      trace_.remarks.push_back(
          fmt::format("it holds {} devices, which are kept apart: the times are medians over them",
                      trace_.devices));
    }
    if (without_instruction_ > 0) {
      trace_.remarks.push_back(
          fmt::format("{} kernels and copies are of no instruction and left out: {:.3f} ms "
                      "(tuning, copies of the host)",
                      without_instruction_, microseconds_without_instruction_ * 1e-3));
    }
    if (without_time_ > 0) {
      trace_.remarks.push_back(
          fmt::format("{} of its events state no time: what they took is missing", without_time_));
    }
  }

  Trace trace_;
  kineto::Numbering names_;
  kineto::Numbering processes_;
  kineto::Numbering lines_;
  std::set<Index> device_names_;
  std::map<Index, std::uint16_t> devices_;
  std::map<Index, std::set<Index>> streams_;
  std::map<Index, std::set<Index>> instructions_;
  /// A deque grows without a second copy.
  std::deque<Row> rows_;
  std::vector<Launch> launches_;
  std::vector<StepMark> step_marks_;
  bool has_instructions_ = false;
  std::size_t without_time_ = 0;
  std::size_t without_instruction_ = 0;
  double microseconds_without_instruction_ = 0;
};

}  // namespace

std::span<const InstructionRun> Trace::runs_in(const StepWindow& step) const {
  const auto first = std::ranges::lower_bound(runs, step.first, {}, &InstructionRun::placed);
  const auto last = std::ranges::lower_bound(runs, step.second, {}, &InstructionRun::placed);
  return first < last ? std::span(first, last) : std::span<const InstructionRun>();
}

Trace read_trace(const ProfileFile& document) { return InstructionReader(document).take(); }

}  // namespace benanza::analysis::jax
