#include "record/capture/recorder.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"
#include "record/capture/line_filter.h"
#include "record/capture/run_program.h"

namespace benanza::record {
namespace {

/// E.g. "Intel(R) Xeon(R) ..., 32 threads, Linux 6.1.0 x86_64"; without the host name.
std::string machine() {
  std::string model = "unknown CPU";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    model = line.substr(colon + 2);
    break;
  }
  utsname system{};
  ::uname(&system);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads, " +
         system.sysname + ' ' + system.release + ' ' + system.machine;
}

/// Time between flushes: the most that is lost if the recorder is killed.
constexpr double flush_seconds = 0.25;
/// Suffix of the folder next to the file, which exists while the program runs.
constexpr const char* parts_ending = ".parts";

/// Removes the recorder's files from its folder, and the folder if it is then empty.
void remove_parts(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".journal" || ending == ".log" || entry.path().filename() == "control") {
      files.push_back(entry.path());
    }
  }
  for (const auto& file : files) std::filesystem::remove(file, error);
  std::filesystem::remove(folder, error);
}

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Recorder::Recorder(std::filesystem::path file, std::vector<std::string> command,
                   RecordOptions options, Window window)
    : file_(std::move(file)),
      command_(std::move(command)),
      setup_{.folder = std::filesystem::absolute(file_).string() + parts_ending,
             .options = std::move(options)},
      window_(window),
      sources_(sources()),
      start_(unix_seconds()) {
  remove_parts(setup_.folder);
  std::error_code error;
  if (!std::filesystem::create_directory(setup_.folder, error)) {
    throw Error(setup_.folder.string() +
                ": cannot be made, or holds what no recorder left; --out FILE names another");
  }
  writer_.emplace(file_, RecordedRun{.command = command_, .start = start_, .machine = machine()});
}

Recorder::~Recorder() { remove_parts(setup_.folder); }

double Recorder::now() const { return unix_seconds() - start_; }

void Recorder::take_calls(const std::function<void()>& work) {
  if (!writer_) return;
  try {
    work();
  } catch (const std::exception& error) {
    std::cerr << "benanza-record: " << error.what()
              << "; the program goes on, the rest of it is not recorded\n";
    writer_.reset();
  }
}

bool Recorder::take_line(std::string_view line) {
  const double arrived = now();
  for (const auto& source : sources_) {
    Taken taken = Taken::no;
    take_calls([&] { taken = source->take(line, start_, arrived, *writer_); });
    if (taken != Taken::no) return taken == Taken::yes;
  }
  return false;
}

void Recorder::collect() {
  for (const auto& source : sources_) {
    take_calls([&] { source->poll(start_, *writer_); });
  }
}

void Recorder::tick() {
  const bool active = window_.is_open(now());
  if (active != is_active_) {
    // Events up to now belong to the previous state.
    if (is_active_) collect();
    is_active_ = active;
    take_calls([&] { writer_->pause(!active); });
    for (const auto& source : sources_) source->set_active(active);
  }
  if (now() - last_flush_ < flush_seconds) return;
  collect();
  take_calls([&] {
    writer_->flush();
    for (const auto& source : sources_) source->saved();
  });
  last_flush_ = now();
}

bool Recorder::takes_signal(int signal) {
  if (signal == SIGUSR1) return window_.start();
  if (signal == SIGUSR2) return window_.stop();
  return false;
}

void Recorder::count(CpuCounters counters, std::vector<Metric> metrics) {
  counters_.emplace(std::move(counters));
  metrics_ = std::move(metrics);
}

void Recorder::add_counters() {
  const std::vector<CountedValue> values = counters_->read();
  for (const CountedValue& value : values) writer_->add(value);
  for (const Metric& metric : metrics_) {
    const auto value = metric.expression.value([&](std::string_view name) -> std::optional<double> {
      for (const CountedValue& one : values) {
        if (one.name == name) return one.value;
      }
      return std::nullopt;
    });
    writer_->add(CountedValue{.name = metric.name,
                              .value = value,
                              .running_part = {},
                              .expression = metric.expression.text()});
  }
}

int Recorder::run() {
  try {
    const int status = run_recorded();
    collect();
    if (counters_) take_calls([&] { add_counters(); });
    take_calls([&] { writer_->finish(now(), status); });
    print_remarks();
    return status;
  } catch (const Error&) {
    writer_.reset();
    std::filesystem::remove(file_);
    throw;
  }
}

int Recorder::run_recorded() {
  Environment environment = Environment::inherited();
  std::vector<std::string_view> markers;
  for (const auto& source : sources_) {
    source->prepare(environment, setup_);
    for (const std::string_view marker : source->markers()) markers.push_back(marker);
  }
  bool writable = true;
  LineFilter filter(
      markers, [this](std::string_view line) { return take_line(line); },
      [&](std::string_view bytes) { writable = writable && write_all(STDOUT_FILENO, bytes); });
  const Listener listener{.output =
                              [&](std::string_view bytes) {
                                filter.feed(bytes);
                                tick();
                              },
                          .idle =
                              [&] {
                                filter.idle();
                                tick();
                              },
                          .takes_signal = [this](int signal) { return takes_signal(signal); }};
  tick();
  const int status = run_program(command_, environment.list(), listener, [&] { return writable; });
  filter.end();
  return status;
}

void Recorder::print_remarks() const {
  for (const auto& source : sources_) {
    for (const std::string& remark : source->remarks()) {
      std::cerr << "benanza-record: " << remark << '\n';
    }
  }
}

}  // namespace benanza::record
