#include "suites/record/recorder.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <iostream>

#include "core/base/error.h"
#include "suites/record/line_filter.h"
#include "suites/record/machine.h"
#include "suites/record/run_program.h"

namespace benanza::record {
namespace {

/// What was recorded until so long before an end by force is in the file.
constexpr double flush_seconds = 0.25;

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// False where nobody reads any more.
bool write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Recorder::Recorder(std::filesystem::path file, std::vector<std::string> command)
    : file_(std::move(file)),
      command_(std::move(command)),
      sources_(sources()),
      start_(unix_seconds()) {
  writer_.emplace(file_, RecordedRun{.command = command_, .start = start_, .machine = machine()});
}

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
    bool taken = false;
    if (writer_) {
      take_calls([&] { taken = source->take(line, start_, arrived, *writer_) == Taken::yes; });
    }
    if (taken) return !source->passes_lines();
  }
  return false;
}

void Recorder::flush_if_due() {
  if (now() - last_flush_ < flush_seconds) return;
  take_calls([&] { writer_->flush(); });
  last_flush_ = now();
}

int Recorder::run() {
  Environment environment = Environment::inherited();
  std::vector<std::string_view> markers;
  for (const auto& source : sources_) {
    source->prepare(environment);
    for (const std::string_view marker : source->markers()) markers.push_back(marker);
  }
  bool writable = true;
  LineFilter filter(
      markers, [this](std::string_view line) { return take_line(line); },
      [&](std::string_view bytes) { writable = writable && write_out(bytes); });
  const Listener listener{.output =
                              [&](std::string_view bytes) {
                                filter.feed(bytes);
                                flush_if_due();
                              },
                          .idle =
                              [&] {
                                filter.idle();
                                flush_if_due();
                              }};
  int status = 0;
  try {
    status = run_program(command_, environment.list(), listener, [&] { return writable; });
  } catch (const NotStarted&) {
    writer_.reset();
    std::filesystem::remove(file_);
    throw;
  }
  filter.end();
  take_calls([&] { writer_->finish(now(), status); });
  return status;
}

}  // namespace benanza::record
