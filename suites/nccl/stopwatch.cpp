#include "suites/nccl/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <thread>

#include "suites/nvidia/device/check.h"

namespace benanza::nccl {
namespace {

using nvidia::check;

/// Graphs of at least this length are replayed instead of captured again.
constexpr double long_graph_seconds = 0.5e-3;
constexpr std::int64_t maximum_graph_calls = 1024;
constexpr double shortest_hold_seconds = 100e-6;
constexpr double longest_hold_seconds = 5e-3;
constexpr int attempts = 4;

CollectivePrimitive& collective(harness::Primitive& primitive) {
  return dynamic_cast<CollectivePrimitive&>(primitive);
}

}  // namespace

double GroupStopwatch::time(harness::Primitive& timed, std::int64_t calls) {
  CollectivePrimitive& primitive = collective(timed);
  begin(primitive);
  const int ranks = primitive.ranks();
  if (!primitive.in_graph()) {
    return sample_launched(
        ranks, 0, [&] { primitive.run(); },
        [&] {
          for (std::int64_t call = 0; call < calls; ++call) primitive.run();
        });
  }
  const std::int64_t wanted = std::min(calls, maximum_graph_calls);
  if (state_.graphs.empty() ||
      (state_.graph_calls != wanted && state_.graph_seconds < long_graph_seconds)) {
    capture(primitive, wanted);
  }
  const std::int64_t replays = std::max<std::int64_t>(
      1, std::llround(static_cast<double>(calls) / static_cast<double>(state_.graph_calls)));
  state_.graph_seconds = sample_graphs(ranks, replays) / static_cast<double>(replays);
  return state_.graph_seconds / static_cast<double>(state_.graph_calls) *
         static_cast<double>(calls);
}

double GroupStopwatch::time_cold(harness::Primitive& timed) {
  CollectivePrimitive& primitive = collective(timed);
  begin(primitive);
  const int ranks = primitive.ranks();
  while (flush_.size() < static_cast<std::size_t>(ranks)) {
    const auto rank = static_cast<int>(flush_.size());
    gpus_.use(rank);
    flush_.emplace_back(gpus_.flush_bytes(rank));
  }
  return sample_launched(
      ranks, shortest_hold_seconds,
      [&] {
        for (int rank = 0; rank < ranks; ++rank) {
          gpus_.use(rank);
          flush_[static_cast<std::size_t>(rank)].fill(0, gpus_.stream(rank));
        }
      },
      [&] { primitive.run(); });
}

void GroupStopwatch::begin(CollectivePrimitive& primitive) {
  if (state_.primitive == &primitive) return;
  state_ = {.primitive = &primitive, .graphs = {}, .hold_seconds = shortest_hold_seconds};
  while (events_.size() < static_cast<std::size_t>(primitive.ranks())) {
    gpus_.use(static_cast<int>(events_.size()));
    events_.push_back({nvidia::make_event(), nvidia::make_event(), nvidia::make_event()});
  }
  // Connects the ranks and loads the kernels, which is not possible during capture.
  primitive.run();
  gpus_.synchronize();
}

void GroupStopwatch::capture(CollectivePrimitive& primitive, std::int64_t calls) {
  const int ranks = primitive.ranks();
  state_.graphs.clear();
  for (int rank = 0; rank < ranks; ++rank) {
    gpus_.use(rank);
    check(cudaStreamBeginCapture(gpus_.stream(rank), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  }
  std::exception_ptr failure;
  try {
    for (std::int64_t call = 0; call < calls; ++call) primitive.run();
  } catch (...) {
    failure = std::current_exception();
  }
  std::vector<nvidia::Graph> captured;
  for (int rank = 0; rank < ranks; ++rank) {
    gpus_.use(rank);
    cudaGraph_t graph = nullptr;
    const cudaError_t status = cudaStreamEndCapture(gpus_.stream(rank), &graph);
    captured.emplace_back(graph);
    if (!failure && status != cudaSuccess) {
      failure = std::make_exception_ptr(
          std::runtime_error(std::string("cudaStreamEndCapture: ") + cudaGetErrorString(status)));
    }
  }
  if (failure) {
    cudaGetLastError();
    std::rethrow_exception(failure);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    gpus_.use(rank);
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, captured[static_cast<std::size_t>(rank)].get(), 0),
          "cudaGraphInstantiate");
    state_.graphs.emplace_back(executable);
    check(cudaGraphUpload(executable, gpus_.stream(rank)), "cudaGraphUpload");
  }
  gpus_.synchronize();
  state_.graph_calls = calls;
  state_.graph_seconds = 0;
}

void GroupStopwatch::hold(int ranks, double seconds) {
  gpus_.synchronize();
  gpus_.use(0);
  if (seconds > 0) gpus_.code(0).delay(seconds, gpus_.stream(0));
  check(cudaEventRecord(events_[0].ready.get(), gpus_.stream(0)), "cudaEventRecord");
  for (int rank = 1; rank < ranks; ++rank) {
    gpus_.use(rank);
    check(cudaStreamWaitEvent(gpus_.stream(rank), events_[0].ready.get()), "cudaStreamWaitEvent");
  }
}

void GroupStopwatch::record(int rank, nvidia::Event Events::*event) {
  gpus_.use(rank);
  const Events& events = events_[static_cast<std::size_t>(rank)];
  check(cudaEventRecord((events.*event).get(), gpus_.stream(rank)), "cudaEventRecord");
}

double GroupStopwatch::elapsed(int ranks) {
  gpus_.synchronize();
  double longest = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Events& events = events_[static_cast<std::size_t>(rank)];
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events.start.get(), events.stop.get()),
          "cudaEventElapsedTime");
    longest = std::max(longest, static_cast<double>(milliseconds) * 1e-3);
  }
  return longest;
}

double GroupStopwatch::sample_graphs(int ranks, std::int64_t replays) {
  double seconds = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    hold(ranks, state_.hold_seconds);
    const auto held = std::chrono::steady_clock::now();
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks));
    const auto launch = [&](int rank) {
      const auto place = static_cast<std::size_t>(rank);
      try {
        record(rank, &Events::start);
        for (std::int64_t replay = 0; replay < replays; ++replay) {
          check(cudaGraphLaunch(state_.graphs[place].get(), gpus_.stream(rank)), "cudaGraphLaunch");
        }
        record(rank, &Events::stop);
      } catch (...) {
        failures[place] = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(launch, rank);
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    const std::chrono::duration<double> host = std::chrono::steady_clock::now() - held;
    seconds = elapsed(ranks);
    if (host.count() <= state_.hold_seconds || state_.hold_seconds >= longest_hold_seconds) break;
    state_.hold_seconds = std::min(1.5 * host.count(), longest_hold_seconds);
  }
  return seconds;
}

double GroupStopwatch::sample_launched(int ranks, double hold_seconds,
                                       const std::function<void()>& prepare,
                                       const std::function<void()>& enqueue) {
  hold(ranks, hold_seconds);
  prepare();
  for (int rank = 0; rank < ranks; ++rank) record(rank, &Events::start);
  enqueue();
  for (int rank = 0; rank < ranks; ++rank) record(rank, &Events::stop);
  return elapsed(ranks);
}

Facts GroupStopwatch::facts(const CollectivePrimitive& primitive) const {
  if (state_.primitive != &primitive) return {};
  Facts facts{{"timing", std::string(primitive.in_graph() ? "graph" : "launched")}};
  if (!state_.graphs.empty()) {
    facts["calls_per_graph"] = static_cast<double>(state_.graph_calls);
  }
  return facts;
}

void GroupStopwatch::forget(const CollectivePrimitive& primitive) {
  if (state_.primitive == &primitive) state_ = {};
}

}  // namespace benanza::nccl
