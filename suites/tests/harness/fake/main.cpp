// bench_fake: a suite without a library. FAKE_THREADS: the threads in its system. FAKE_PAUSE_MS:
// the real duration of a sample. FAKE_HOLD_AFTER: the number of primitives it times before it waits
// for the file FAKE_GATE.
#include <cstdlib>
#include <string>

#include "suites/harness/program/bench_main.h"
#include "suites/tests/harness/fake/fake_backend.h"
#include "suites/verify/verification_cases.h"

namespace {

std::string variable(const char* name, const char* fallback) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fallback : value;
}

constexpr const char* relu[] = {"relu/1x8", "relu/2x8", "relu/3x8"};
constexpr const char* tanh_table[] = {"tanh/1x8"};
constexpr const char* sigmoid[] = {"sigmoid/1x8"};
constexpr const char* elu[] = {"elu/1x8_a1"};

struct Companion final : benanza::harness::FakeBackend {
  using FakeBackend::FakeBackend;
  std::string_view name() const override { return "companion"; }
};

}  // namespace

int main(int argc, char** argv) {
  const benanza::harness::Hold hold{
      std::stoi(variable("FAKE_HOLD_AFTER", "1000000")), variable("FAKE_GATE", ""),
      std::chrono::milliseconds(std::stoi(variable("FAKE_PAUSE_MS", "0")))};
  benanza::harness::FakeBackend backend(variable("FAKE_THREADS", "1"), hold);
  Companion companion("1");
  benanza::harness::Backend* const companions[] = {&companion};
  return benanza::harness::bench_main(
      argc, argv, backend, {{relu, tanh_table, sigmoid, elu}, {benanza::Precision::fp32}},
      benanza::verify::verifier(), companions);
}
