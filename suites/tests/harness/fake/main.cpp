// bench_fake - a suite without a library. FAKE_THREADS: what its system says. FAKE_PAUSE_MS: time
// that a sample really takes.
#include <cstdlib>
#include <string>

#include "suites/harness/run/bench_main.h"
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

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::milliseconds pause(std::stoi(variable("FAKE_PAUSE_MS", "0")));
  benanza::harness::FakeBackend backend(variable("FAKE_THREADS", "1"), pause);
  return benanza::harness::bench_main(
      argc, argv, backend, {{relu, tanh_table, sigmoid, elu}, {benanza::Precision::fp32}},
      benanza::verify::verifier());
}
