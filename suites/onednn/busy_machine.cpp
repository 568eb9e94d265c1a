#include "suites/onednn/busy_machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "suites/harness/choose/run_place.h"
#include "suites/harness/conditions/host_observer.h"
#include "suites/harness/measure/host_stopwatch.h"

namespace benanza::onednn {
namespace {

/// Words with which there is nothing to look for: questions about the program, and the place of a
/// process in a run whose first process has looked.
bool is_exempt(std::string_view word) {
  constexpr std::array<std::string_view, 8> questions{
      "-h",    "--help",       "--version", "--list-devices",
      "--man", "--completion", "--forget",  "--benchmark_list_tests"};
  const std::string_view name = word.substr(0, word.find('='));
  return name == harness::place_flag || std::ranges::find(questions, name) != questions.end();
}

/// "other processes on 1.3 processors", or what else shares them; empty if nothing does.
std::string company() {
  harness::HostObserver observer(harness::CacheFlush::of_this_machine().processors);
  observer.begin();
  std::this_thread::sleep_for(
      std::chrono::duration<double>(1.1 * harness::HostObserver::least_seconds));
  const harness::Conditions seen = observer.end();
  return seen.company ? seen.disturbances.front() : "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> variables_of_busy_machine(
    const std::function<const char*(const char*)>& variable) {
  for (const char* const name : {"OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
                                 "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_BLOCKTIME"}) {
    if (variable(name) != nullptr) return {};
  }
  return {{"OMP_PROC_BIND", "spread"}, {"GOMP_SPINCOUNT", "10000"}};
}

void adapt_to_busy_machine(int argc, char** argv) {
  if (std::any_of(argv + 1, argv + argc, is_exempt)) return;
  const auto variables =
      variables_of_busy_machine([](const char* name) { return std::getenv(name); });
  if (variables.empty()) return;
  const std::string cause = company();
  if (cause.empty()) return;
  std::fprintf(
      stderr,
      "bench_onednn: %s: times will be less exact; threads are bound, and sleep while they "
      "wait\n",
      cause.c_str());
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  // If it cannot start again, it measures as it is.
  ::execv("/proc/self/exe", argv);
}

}  // namespace benanza::onednn
