#include "suites/nvidia/run/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/statistics/summary.h"
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

int device_attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
}

/// How often a graph is replayed for `calls`.
std::int64_t replays_of(std::int64_t graph_calls, std::int64_t calls) {
  const double exact = static_cast<double>(calls) / static_cast<double>(graph_calls);
  return std::max<std::int64_t>(1, std::llround(exact));
}

}  // namespace

CudaStopwatch::CudaStopwatch(int device, cudaStream_t stream)
    : stream_(stream),
      code_(device_attribute(cudaDevAttrMultiProcessorCount, device)),
      nominal_clock_hz_(1e3 * device_attribute(cudaDevAttrClockRate, device)),
      flush_bytes_(2 * std::int64_t{device_attribute(cudaDevAttrL2CacheSize, device)}),
      hold_seconds_(shortest_hold_seconds) {}

double CudaStopwatch::time(harness::Primitive& primitive, std::int64_t calls) {
  return time_samples(primitive, calls, 1).front();
}

std::vector<double> CudaStopwatch::time_samples(harness::Primitive& primitive, std::int64_t calls,
                                                std::size_t samples) {
  begin(primitive);
  state_.cold = false;
  state_.nodes_per_sample = 0;
  fit_graph(primitive, calls);
  std::int64_t timed_calls = calls;
  std::vector<double> seconds;
  if (state_.capturable) {
    const std::int64_t replays = replays_of(state_.graph_calls, calls);
    const auto replay_all = [&] {
      for (std::int64_t replay = 0; replay < replays; ++replay) {
        check(cudaGraphLaunch(state_.graph.get(), stream_), "cudaGraphLaunch");
      }
    };
    fit_hold(replays);
    seconds = timed([] {}, replay_all, samples);
    state_.graph_seconds = seconds.back() / static_cast<double>(replays);
    timed_calls = replays * state_.graph_calls;
  } else {
    const auto run_all = [&] {
      for (std::int64_t call = 0; call < calls; ++call) primitive.run();
    };
    // One at a time: the driver queues a limited number of launches.
    for (std::size_t sample = 0; sample < samples; ++sample) {
      seconds.push_back(timed([] {}, run_all, 1).front());
    }
  }
  for (double& sample : seconds) {
    sample =
        possible(primitive, sample / static_cast<double>(timed_calls)) * static_cast<double>(calls);
  }
  return seconds;
}

double CudaStopwatch::graph_nodes() const {
  if (!state_.kernels) return 0;
  const auto nodes =
      static_cast<double>(state_.kernels->kernels + state_.kernels->memory_operations);
  return nodes * static_cast<double>(state_.graph_calls) /
         static_cast<double>(state_.kernels_calls);
}

void CudaStopwatch::fit_hold(std::int64_t replays) {
  constexpr double margin = 1.25;
  const double enqueueing =
      shortest_hold_seconds + graph_nodes() * static_cast<double>(replays) * seconds_per_node_;
  hold_seconds_ = std::clamp(margin * enqueueing, hold_seconds_, longest_hold_seconds);
  state_.nodes_per_sample = graph_nodes() * static_cast<double>(replays);
}

void CudaStopwatch::fit_graph(harness::Primitive& primitive, std::int64_t calls) {
  if (!state_.capturable) return;
  const std::int64_t wanted = fitting_graph_calls(primitive, calls);
  if (wanted != state_.graph_calls) capture(primitive, wanted);
}

std::int64_t CudaStopwatch::fitting_graph_calls(const harness::Primitive& primitive,
                                                std::int64_t calls) const {
  if (state_.graph_seconds >= long_graph_seconds) return state_.graph_calls;
  const std::int64_t round = primitive.round();
  return (calls_to_capture(calls) + round - 1) / round * round;
}

std::int64_t CudaStopwatch::whole_calls(const harness::Primitive& primitive,
                                        std::int64_t calls) const {
  if (state_.primitive != &primitive || !state_.capturable) return calls;
  const std::int64_t graph_calls = fitting_graph_calls(primitive, calls);
  return replays_of(graph_calls, calls) * graph_calls;
}

double CudaStopwatch::time_cold(harness::Primitive& primitive) {
  begin(primitive);
  // The graph is captured only to inspect its kernels.
  if (state_.capturable && !state_.kernels) capture(primitive, 1);
  state_.cold = true;
  state_.nodes_per_sample = 0;
  reserve_flush();
  const EmptyKernel& empty = empty_kernel();
  const double seconds = timed([&] { flush(); }, [&] { primitive.run(); }, 1).front();
  return possible(primitive, std::max(seconds - empty.event_seconds, empty.seconds));
}

std::optional<double> CudaStopwatch::flush_seconds(harness::Primitive& primitive) {
  begin(primitive);
  if (state_.capturable) capture(primitive, primitive.round());
  if (!state_.capturable) return std::nullopt;
  state_.cold = false;
  reserve_flush();
  fit_hold(1);
  const auto replay = [&] {
    check(cudaGraphLaunch(state_.graph.get(), stream_), "cudaGraphLaunch");
  };
  const double warm = median(timed(replay, replay, at_once));
  const double cold = median(timed([&] { flush(); }, replay, at_once));
  return std::max(0.0, cold - warm);
}

const CudaStopwatch::EmptyKernel& CudaStopwatch::empty_kernel() {
  if (empty_kernel_) return *empty_kernel_;
  constexpr int in_a_row = 64;
  const auto run = [&](int kernels) {
    for (int kernel = 0; kernel < kernels; ++kernel) code_.delay(0, stream_);
  };
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  run(in_a_row);
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(stream_, &captured), "cudaStreamEndCapture");
  const Graph graph(captured);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, captured, 0), "cudaGraphInstantiate");
  const GraphExec row(executable);
  const double alone = median(timed([&] { flush(); }, [&] { run(1); }, at_once));
  const double together = median(timed(
      [] {}, [&] { check(cudaGraphLaunch(row.get(), stream_), "cudaGraphLaunch"); }, at_once));
  const double seconds = together / in_a_row;
  empty_kernel_ = {.seconds = seconds, .event_seconds = std::max(0.0, alone - seconds)};
  return *empty_kernel_;
}

void CudaStopwatch::reserve_flush() {
  if (flush_memory_.size_bytes() == 0) flush_memory_ = DeviceMemory(flush_bytes_);
}

void CudaStopwatch::flush() {
  reserve_flush();
  flush_memory_.fill(0, stream_);
}

void CudaStopwatch::prepare_as_timed(harness::Primitive& primitive) {
  if (is_cold(primitive)) return flush();
  primitive.run();
}

void CudaStopwatch::expect_at_least(const harness::Primitive& primitive, double seconds) {
  least_seconds_[&primitive] = seconds;
}

std::int64_t CudaStopwatch::replay(const harness::Primitive& primitive) {
  if (state_.primitive != &primitive || !state_.graph || state_.cold) return 0;
  check(cudaGraphLaunch(state_.graph.get(), stream_), "cudaGraphLaunch");
  return state_.graph_calls;
}

std::int64_t CudaStopwatch::recapture(harness::Primitive& primitive) {
  if (state_.primitive != &primitive || !state_.graph || state_.cold) return 0;
  const double seconds = state_.graph_seconds;
  capture(primitive, state_.graph_calls);
  state_.graph_seconds = seconds;
  return replay(primitive);
}

double CudaStopwatch::possible(const harness::Primitive& primitive, double seconds_per_call) const {
  const auto least = least_seconds_.find(&primitive);
  if (least != least_seconds_.end() && seconds_per_call < least->second) {
    throw std::runtime_error(
        "faster than the device's peak: " + std::to_string(seconds_per_call * 1e6) +
        " us per call; at peak it takes " + std::to_string(least->second * 1e6) + " us");
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

std::vector<double> CudaStopwatch::timed(const Action& prepare, const Action& enqueue,
                                         std::size_t count) {
  std::vector<double> seconds;
  int attempts_left = gapless_attempts - 1;
  while (seconds.size() < count) {
    for (const Sample& taken : take(prepare, enqueue, std::min(at_once, count - seconds.size()))) {
      if (!taken.gapless && attempts_left > 0) {
        --attempts_left;
      } else if (keep(taken)) {
        seconds.push_back(taken.seconds);
      }
    }
  }
  return seconds;
}

bool CudaStopwatch::keep(const Sample& taken) {
  const bool throttled = taken.clock_hz && *taken.clock_hz < throttled_below * nominal_clock_hz_;
  if (!throttled || state_.throttled_samples >= maximum_retries) {
    state_.kept_throttled = state_.kept_throttled || throttled;
    if (taken.clock_hz) state_.clock_hz = taken.clock_hz;
    return true;
  }
  ++state_.throttled_samples;
  // An idle GPU needs work to raise its clocks, a hot one needs rest.
  if (2 * state_.throttled_samples > maximum_retries) std::this_thread::sleep_for(cool_down);
  return false;
}

std::vector<CudaStopwatch::Sample> CudaStopwatch::take(const Action& prepare, const Action& enqueue,
                                                       std::size_t count) {
  using Clock = std::chrono::steady_clock;
  synchronize(stream_);
  code_.forget_readings();
  std::vector<double> enqueued_seconds(count);
  const Clock::time_point held = Clock::now();
  code_.delay(hold_seconds_, stream_);
  for (std::size_t index = 0; index < count; ++index) {
    code_.read_clock(2 * index, stream_);
    prepare();
    check(cudaEventRecord(events_[index].start.get(), stream_), "cudaEventRecord");
    enqueue();
    check(cudaEventRecord(events_[index].stop.get(), stream_), "cudaEventRecord");
    enqueued_seconds[index] = std::chrono::duration<double>(Clock::now() - held).count();
    code_.read_clock(2 * index + 1, stream_);
  }
  synchronize(stream_);

  std::vector<Sample> samples(count);
  // When the GPU began with a sample, at the earliest.
  double begun_seconds = hold_seconds_;
  double longer_hold_seconds = hold_seconds_;
  for (std::size_t index = 0; index < count; ++index) {
    Sample& taken = samples[index];
    float milliseconds = 0;
    check(
        cudaEventElapsedTime(&milliseconds, events_[index].start.get(), events_[index].stop.get()),
        "cudaEventElapsedTime");
    taken.seconds = static_cast<double>(milliseconds) * 1e-3;
    const ClockReading& before = code_.reading(2 * index);
    const ClockReading& after = code_.reading(2 * index + 1);
    if (after.nanoseconds > before.nanoseconds + clock_check_nanoseconds) {
      if (const double hz = clock_hz(before, after); hz > 0) taken.clock_hz = hz;
    }
    const double late_seconds = enqueued_seconds[index] - begun_seconds;
    if (late_seconds > 0 && hold_seconds_ < longest_hold_seconds) {
      taken.gapless = false;
      longer_hold_seconds = std::max(
          longer_hold_seconds, std::min(hold_seconds_ + 1.5 * late_seconds, longest_hold_seconds));
    }
    begun_seconds += taken.seconds;
  }
  hold_seconds_ = longer_hold_seconds;
  // Shorter graphs say little about a node; a slower node than expected is believed at once.
  constexpr double telling_nodes = 32;
  if (state_.nodes_per_sample >= telling_nodes) {
    const double per_node =
        (enqueued_seconds.front() - shortest_hold_seconds) / state_.nodes_per_sample;
    seconds_per_node_ = std::max(per_node, 0.9 * seconds_per_node_);
  }
  return samples;
}

Facts CudaStopwatch::facts(const harness::Primitive& primitive) const {
  if (state_.primitive != &primitive) return {};
  const bool by_graph = state_.capturable && !state_.cold;
  Facts facts{{"timing", std::string(by_graph ? "graph" : "events")}};
  if (state_.cold && empty_kernel_) facts["event_seconds"] = empty_kernel_->event_seconds;
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
