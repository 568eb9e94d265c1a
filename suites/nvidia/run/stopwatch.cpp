#include "suites/nvidia/run/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include "suites/nvidia/profiling/tensor_core_names.h"

namespace benanza::nvidia {
namespace {

/// How long a graph should run. Capturing costs microseconds a call, and replaying leaves a gap of
/// about 1 us.
constexpr double graph_goal_seconds = 0.5e-3;
/// A graph that runs this long is not captured again.
constexpr double long_graph_seconds = 0.25e-3;
constexpr std::int64_t maximum_graph_calls = 4096;
constexpr double shortest_hold_seconds = 20e-6;
/// The driver queues a limited number of launches, so that longer work cannot be held back.
constexpr double longest_hold_seconds = 5e-3;
constexpr int gapless_attempts = 4;
/// Shortest sample whose clock is computed, since the GPU's wall clock advances in steps of up to 1
/// us.
constexpr std::uint64_t clock_check_nanoseconds = 100'000;
constexpr std::chrono::milliseconds cool_down{20};

int attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

CudaStopwatch::CudaStopwatch(int device, cudaStream_t stream)
    : stream_(stream),
      code_(attribute(cudaDevAttrMultiProcessorCount, device)),
      nominal_clock_hz_(1e3 * attribute(cudaDevAttrClockRate, device)),
      flush_bytes_(2 * std::int64_t{attribute(cudaDevAttrL2CacheSize, device)}),
      hold_seconds_(shortest_hold_seconds) {}

double CudaStopwatch::time(harness::Primitive& primitive, std::int64_t calls) {
  begin(primitive);
  state_.cold = false;
  if (state_.capturable && state_.graph_seconds < long_graph_seconds) {
    const std::int64_t wanted = calls_to_capture(calls);
    if (wanted != state_.graph_calls) capture(primitive, wanted);
  }
  if (!state_.capturable) {
    const double seconds = timed([] {},
                                 [&] {
                                   for (std::int64_t call = 0; call < calls; ++call)
                                     primitive.run();
                                 });
    return possible(primitive, seconds / static_cast<double>(calls)) * static_cast<double>(calls);
  }
  const std::int64_t replays = std::max<std::int64_t>(
      1, std::llround(static_cast<double>(calls) / static_cast<double>(state_.graph_calls)));
  const double seconds =
      timed([] {},
            [&] {
              for (std::int64_t replay = 0; replay < replays; ++replay) {
                check(cudaGraphLaunch(state_.graph.get(), stream_), "cudaGraphLaunch");
              }
            });
  state_.graph_seconds = seconds / static_cast<double>(replays);
  return possible(primitive, seconds / static_cast<double>(replays * state_.graph_calls)) *
         static_cast<double>(calls);
}

double CudaStopwatch::time_cold(harness::Primitive& primitive) {
  begin(primitive);
  // The graph is captured only to inspect its kernels.
  if (state_.capturable && !state_.kernels) capture(primitive, 1);
  state_.cold = true;
  reserve_flush();
  return possible(primitive, timed([&] { flush(); }, [&] { primitive.run(); }));
}

void CudaStopwatch::reserve_flush() {
  if (flush_memory_.size_bytes() == 0) flush_memory_ = DeviceMemory(flush_bytes_);
}

void CudaStopwatch::flush() {
  reserve_flush();
  flush_memory_.fill(0, stream_);
}

void CudaStopwatch::prepare_as_timed(harness::Primitive& primitive) {
  if (state_.primitive == &primitive && state_.cold) return flush();
  primitive.run();
}

void CudaStopwatch::expect_at_least(const harness::Primitive& primitive, double seconds) {
  least_seconds_[&primitive] = seconds;
}

std::int64_t CudaStopwatch::replay(const harness::Primitive& primitive) {
  if (state_.primitive != &primitive || !state_.graph) return 0;
  check(cudaGraphLaunch(state_.graph.get(), stream_), "cudaGraphLaunch");
  return state_.graph_calls;
}

std::int64_t CudaStopwatch::recapture(harness::Primitive& primitive) {
  if (state_.primitive != &primitive || !state_.graph) return 0;
  const double seconds = state_.graph_seconds;
  capture(primitive, state_.graph_calls);
  state_.graph_seconds = seconds;
  return replay(primitive);
}

double CudaStopwatch::possible(const harness::Primitive& primitive, double seconds_per_call) const {
  const auto least = least_seconds_.find(&primitive);
  if (least != least_seconds_.end() && seconds_per_call < least->second) {
    throw std::runtime_error(
        "faster than the device can be: " + std::to_string(seconds_per_call * 1e6) +
        " us a call, at its peaks it takes " + std::to_string(least->second * 1e6) + " us");
  }
  return seconds_per_call;
}

void CudaStopwatch::begin(harness::Primitive& primitive) {
  if (state_.primitive == &primitive) return;
  state_ = State{.primitive = &primitive, .graph = {}, .kernels = {}, .clock_hz = {}};
  hold_seconds_ = shortest_hold_seconds;
  // Loads the kernels, which cannot be captured.
  primitive.run();
  synchronize(stream_);
}

std::int64_t CudaStopwatch::calls_to_capture(std::int64_t calls) const {
  const std::int64_t most = std::min(calls, maximum_graph_calls);
  if (state_.graph_calls == 0 || !(state_.graph_seconds > 0)) return most;
  const double per_call = state_.graph_seconds / static_cast<double>(state_.graph_calls);
  return std::clamp(static_cast<std::int64_t>(std::ceil(graph_goal_seconds / per_call)),
                    std::int64_t{1}, most);
}

void CudaStopwatch::capture(harness::Primitive& primitive, std::int64_t calls) {
  state_.graph.reset();
  state_.graph_calls = 0;
  state_.graph_seconds = 0;
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  bool enqueued = true;
  try {
    for (std::int64_t call = 0; call < calls; ++call) primitive.run();
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::exception&) {
    enqueued = false;
  }
  cudaGraph_t captured = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream_, &captured);
  const Graph graph(captured);
  cudaGraphExec_t executable = nullptr;
  if (!enqueued || status != cudaSuccess || captured == nullptr ||
      cudaGraphInstantiate(&executable, captured, 0) != cudaSuccess) {
    cudaGetLastError();
    check_device("capture of a graph");
    state_.capturable = false;
    return;
  }
  state_.graph.reset(executable);
  state_.graph_calls = calls;
  check(cudaGraphUpload(executable, stream_), "cudaGraphUpload");
  if (!state_.kernels) {
    state_.kernels = graph_kernels(captured);
    state_.kernels_calls = calls;
  }
}

double CudaStopwatch::timed(const Action& prepare, const Action& enqueue) {
  for (;;) {
    const Sample taken = gapless_sample(prepare, enqueue);
    const bool throttled = taken.clock_hz && *taken.clock_hz < throttled_below * nominal_clock_hz_;
    if (!throttled || state_.throttled_samples >= maximum_retries) {
      state_.kept_throttled = state_.kept_throttled || throttled;
      if (taken.clock_hz) state_.clock_hz = taken.clock_hz;
      return taken.seconds;
    }
    ++state_.throttled_samples;
    // An idle GPU needs work to raise its clocks, a hot one needs rest.
    if (2 * state_.throttled_samples > maximum_retries) std::this_thread::sleep_for(cool_down);
  }
}

CudaStopwatch::Sample CudaStopwatch::gapless_sample(const Action& prepare, const Action& enqueue) {
  Sample taken = sample(prepare, enqueue);
  for (int attempt = 1; !taken.gapless && attempt < gapless_attempts; ++attempt) {
    taken = sample(prepare, enqueue);
  }
  return taken;
}

CudaStopwatch::Sample CudaStopwatch::sample(const Action& prepare, const Action& enqueue) {
  using Clock = std::chrono::steady_clock;
  synchronize(stream_);
  code_.forget_readings();
  const Clock::time_point held = Clock::now();
  code_.delay(hold_seconds_, stream_);
  code_.read_clock(0, stream_);
  prepare();
  check(cudaEventRecord(start_.get(), stream_), "cudaEventRecord");
  enqueue();
  check(cudaEventRecord(stop_.get(), stream_), "cudaEventRecord");
  const double host_seconds = std::chrono::duration<double>(Clock::now() - held).count();
  code_.read_clock(1, stream_);
  synchronize(stream_);

  Sample taken;
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "cudaEventElapsedTime");
  taken.seconds = static_cast<double>(milliseconds) * 1e-3;
  const auto [before, after] = code_.readings();
  if (after.nanoseconds > before.nanoseconds + clock_check_nanoseconds) {
    if (const double hz = clock_hz(before, after); hz > 0) taken.clock_hz = hz;
  }
  if (host_seconds > hold_seconds_ && hold_seconds_ < longest_hold_seconds) {
    taken.gapless = false;
    hold_seconds_ = std::min(1.5 * host_seconds, longest_hold_seconds);
  }
  return taken;
}

Facts CudaStopwatch::facts(const harness::Primitive& primitive) const {
  if (state_.primitive != &primitive) return {};
  Facts facts{{"timing", std::string(state_.capturable ? "graph" : "events")}};
  if (state_.kernels) {
    const auto per_call = [&](std::int64_t nodes) {
      return static_cast<double>(nodes) / static_cast<double>(state_.kernels_calls);
    };
    facts["kernels_per_call"] = per_call(state_.kernels->kernels);
    facts["memory_operations_per_call"] = per_call(state_.kernels->memory_operations);
    if (const auto uses = any_uses_tensor_cores(state_.kernels->names)) {
      facts["tensor_core_by_name"] = *uses;
    }
  }
  if (state_.clock_hz) facts["sm_clock_hz"] = *state_.clock_hz;
  if (state_.throttled_samples > 0) {
    facts["throttled_samples"] = static_cast<double>(state_.throttled_samples);
    facts["throttled"] = state_.kept_throttled;
  }
  return facts;
}

void CudaStopwatch::forget(const harness::Primitive& primitive) {
  if (state_.primitive == &primitive) state_ = {};
  least_seconds_.erase(&primitive);
}

}  // namespace benanza::nvidia
