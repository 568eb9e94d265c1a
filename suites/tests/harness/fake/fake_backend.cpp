#include "suites/tests/harness/fake/fake_backend.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "suites/harness/deadline.h"

namespace benanza::harness {
namespace {

void await(const std::string& gate) {
  std::ofstream(gate + ".reached").flush();
  while (!std::filesystem::exists(gate)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<Algorithm> names(const Problem& problem, AlgorithmSet set) {
  if (op(problem) == "sigmoid") throw Unsupported("fake has\n no sigmoid");
  if (op(problem) == "elu") throw std::runtime_error("handle lost");
  if (op(problem) == "clip") return {"lost"};
  if (op(problem) == "gelu") return {"segfault", "abort"};
  if (op(problem) == "leakyrelu" && set == AlgorithmSet::with_reference) return {"wears-out"};
  if (op(problem) == "leakyrelu" && set == AlgorithmSet::search) {
    return {"direct", "step.50.wears-out"};
  }
  if (op(problem) == "leakyrelu") return {"direct", "lost-later"};
  if (op(problem) == "mish") return {"hangs"};
  if (op(problem) == "linear") throw EngineLost("illegal address");
  if (op(problem) == "tanh") return {"wrong", "refused", "throws", "memory"};
  if (set == AlgorithmSet::best) return {"direct"};
  if (set == AlgorithmSet::all) return {"direct", "strided"};
  if (set == AlgorithmSet::search) {
    return {"direct", "strided", "step.150", "step.900", "wrong", "refused"};
  }
  return {"direct", "strided", "ref"};
}

constexpr std::string_view step = "step.";

/// Of "step.150": 150; empty for other names.
std::optional<int> step_of(const Algorithm& name) {
  if (!name.starts_with(step)) return std::nullopt;
  return std::atoi(name.c_str() + step.size());
}

std::vector<Algorithm> near_step(int us) {
  constexpr int apart = 30;
  constexpr int least = 60;
  std::vector<Algorithm> near{std::string(step) + std::to_string(us + apart)};
  if (us - apart >= least) near.push_back(std::string(step) + std::to_string(us - apart));
  return near;
}

}  // namespace

double FakeStopwatch::time(Primitive& primitive, std::int64_t calls) {
  primitive.run();
  auto* const fake = dynamic_cast<FakePrimitive*>(&primitive);
  std::this_thread::sleep_for(hold_.pause);
  if (fake != nullptr && fake->is_new() && ++primitives_ > hold_.primitives) await(hold_.gate);
  const double one = fake == nullptr ? sequence_seconds : fake->seconds_per_call();
  const double seconds = one * static_cast<double>(calls);
  total_seconds_ += seconds;
  return seconds;
}

double FakeStopwatch::time_cold(Primitive& primitive) {
  primitive.run();
  return 250e-6;
}

std::int64_t FakeStopwatch::cache_bytes() const {
  const char* const bytes = std::getenv("FAKE_CACHE_BYTES");
  return bytes == nullptr ? 0 : std::atoll(bytes);
}

std::vector<Layout> FakeBackend::layouts(const Problem& problem) const {
  if (op(problem) == "softmax") return {};
  if (op(problem) == "relu") return {Layout::nchw, Layout::nhwc};
  return {Layout::plain};
}

std::vector<Way> FakeBackend::ways(const Variant& prototype, AlgorithmSet set) {
  std::vector<Way> ways;
  for (const Algorithm& name : names(prototype.problem, set)) {
    Variant variant = prototype;
    variant.algorithm = name;
    ways.push_back(way(variant));
  }
  return ways;
}

Way FakeBackend::way(const Variant& variant) {
  Way way{.name = variant.algorithm,
          .traits = {.reference = variant.algorithm == "ref"},
          .make = [this, variant](Operands& operands) { return make(variant, operands); }};
  if (const auto us = step_of(variant.algorithm)) way.near = [us] { return near_step(*us); };
  return way;
}

std::unique_ptr<Primitive> FakeBackend::make(const Variant& variant, Operands& operands) {
  ++primitives_made_;
  if (variant.algorithm == "refused") throw Unsupported("not on this device");
  if (variant.algorithm == "throws") throw std::runtime_error("launch failed\n(line 3)");
  if (variant.algorithm == "lost") throw EngineLost("illegal address");
  if (variant.algorithm == "segfault") ::raise(SIGSEGV);
  if (variant.algorithm == "abort") std::abort();
  if (variant.algorithm == "hangs") {
    const Deadline deadline(1);
    for (;;) ::pause();
  }
  if (variant.algorithm == "memory") throw std::bad_alloc();
  if (variant.algorithm == "ref" && ++reference_calls_ > 2) throw std::runtime_error("worn out");
  const bool is_slow = variant.layout == Layout::nhwc && key(variant.problem) == "relu/3x8";
  const std::optional<int> us = step_of(variant.algorithm);
  const std::int64_t elements = element_count(output(variant.problem));
  const auto bytes = elements * static_cast<std::int64_t>(sizeof(float));
  const auto floats = [&](std::byte* place) {
    return std::span(reinterpret_cast<float*>(place), static_cast<std::size_t>(elements));
  };
  const std::span<float> read = floats(operands.operand(0, bytes, {}));
  std::span<float> least;
  if (inputs(variant.problem).size() > 1) least = floats(operands.operand(1, bytes, {}));
  const std::span<float> written = floats(operands.result(0, bytes, {}));
  return std::make_unique<FakePrimitive>(
      read, least, written,
      FakePrimitive::Manners{
          .correct = variant.algorithm != "wrong",
          .noisy = variant.algorithm == "strided",
          .calls_left = variant.algorithm == "lost-later" ? 2 : std::numeric_limits<int>::max(),
          .correct_calls =
              variant.algorithm.ends_with("wears-out") ? 5 : std::numeric_limits<int>::max(),
          .overwrites_operand = variant.algorithm == "overwrites",
          .uses_up = variant.algorithm == "uses-up",
          .seconds = (us ? *us * 1e-6 : 100e-6) * (is_slow ? 2 : 1),
          .profiles = &profiles_});
}

void FakePrimitive::upload(std::size_t index, std::span<const float> values) {
  const std::span<float> operand = index == 0 ? input_ : least_;
  std::ranges::copy(values.first(std::min(values.size(), operand.size())), operand.begin());
}

void FakePrimitive::poison_output() {
  std::fill(output_.begin(), output_.end(), std::numeric_limits<float>::quiet_NaN());
}

void FakePrimitive::run() {
  if (manners_.calls_left-- == 0) throw EngineLost("illegal address");
  const bool ready = !manners_.uses_up || std::exchange(restored_, false);
  const bool correct = manners_.correct && manners_.correct_calls > 0 && ready;
  manners_.correct_calls -= manners_.correct_calls > 0 ? 1 : 0;
  for (std::size_t i = 0; i < input_.size(); ++i) {
    const float least = least_.empty() ? 0 : least_[i];
    output_[i] = correct ? std::max(input_[i], least) : input_[i];
  }
  if (manners_.overwrites_operand) {
    std::transform(input_.begin(), input_.end(), input_.begin(), [](float x) { return 2 * x; });
  }
}

std::optional<double> FakeMeter::joules() {
  const char* const kind = std::getenv("FAKE_ENERGY");
  const bool is_stuck = kind != nullptr && std::string_view(kind) == "stuck";
  return is_stuck ? 7 : 50 * stopwatch_.total_seconds();
}

bool FakeBackend::is_ready(const Variant& variant) {
  const char* const late = std::getenv("FAKE_LATE");
  return late == nullptr || variant.algorithm != "direct" || ++late_calls_ > std::atoi(late);
}

Conditions FakeObserver::end() {
  if (++measurements_ > std::atoi(std::getenv("FAKE_COMPANY"))) return {};
  return {.disturbances = {"steal 12%"}, .company = true};
}

Observer* FakeBackend::observer() {
  return std::getenv("FAKE_COMPANY") == nullptr ? nullptr : &observer_;
}

EnergyMeter* FakeBackend::energy_meter() {
  return std::getenv("FAKE_ENERGY") == nullptr ? nullptr : &meter_;
}

std::string FakeBackend::profile_kinds() const {
  const char* const kinds = std::getenv("FAKE_PROFILE");
  return kinds == nullptr ? "" : kinds;
}

Facts FakePrimitive::facts() {
  Facts facts{{"rank", 2.0}, {"heuristic", true}};
  if (manners_.profiles != nullptr) facts["profiles_before"] = double(*manners_.profiles);
  if (std::getenv("FAKE_STAMP") != nullptr) {
    facts["stamp"] = std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  }
  return facts;
}

Facts FakePrimitive::profile() {
  ++*manners_.profiles;
  if (manners_.noisy) throw std::runtime_error("the profiler\n gave up");
  return {{"kernel_names", std::string("relu_kernel")}};
}

double FakePrimitive::seconds_per_call() {
  if (!manners_.noisy) return manners_.seconds;
  return ++asked_ % 2 == 0 ? 200e-6 : 300e-6;
}

}  // namespace benanza::harness
