#include "record/views/device_time.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/library/framework_kernel.h"
#include "core/library/kernel_name.h"

namespace benanza {
namespace {

using GpuWork = DeviceRecording::Work;
using Kind = DeviceRecording::Work::Kind;

constexpr double second = 1e-9;

/// Returns true if the call makes the host wait for the GPU (cudaStreamSynchronize,
/// cuCtxSynchronize, ...). cudaStreamWaitEvent makes a stream wait, not the host.
bool is_wait(std::string_view call) { return call.find("Synchronize") != std::string_view::npos; }

/// The spans in which each thread waited, sorted and disjoint.
class Waits {
 public:
  explicit Waits(const DeviceRecording& recording) {
    for (const auto& call : recording.api) {
      if (!is_wait(recording.names[call.name])) continue;
      auto& list = spans_[{call.process, call.thread}];
      if (!list.empty() && call.start <= list.back().second) {
        list.back().second = std::max(list.back().second, call.end);
      } else {
        list.emplace_back(call.start, call.end);
      }
    }
  }

  std::int64_t inside(std::int64_t process, std::int64_t thread, std::int64_t begin,
                      std::int64_t end) const {
    const auto list = spans_.find({process, thread});
    if (list == spans_.end()) return 0;
    std::int64_t sum = 0;
    auto span =
        std::lower_bound(list->second.begin(), list->second.end(), begin,
                         [](const auto& one, std::int64_t time) { return one.second < time; });
    for (; span != list->second.end() && span->first < end; ++span) {
      sum += std::max<std::int64_t>(0, std::min(end, span->second) - std::max(begin, span->first));
    }
    return sum;
  }

 private:
  std::map<std::pair<std::int64_t, std::int64_t>,
           std::vector<std::pair<std::int64_t, std::int64_t>>>
      spans_;
};

/// Sweeps over the work of one device in order of start.
class Sweep {
 public:
  Sweep(const Launches& launches, const Waits& waits) : launches_(launches), waits_(waits) {}

  void add(const GpuWork& work) {
    if (is_first_) {
      begin_ = any_end_ = kernel_end_ = work.start;
      is_first_ = false;
    }
    if (work.start > any_end_) idle(work);
    any_nanoseconds_ += std::max<std::int64_t>(0, work.end - std::max(work.start, any_end_));
    any_end_ = std::max(any_end_, work.end);
    if (work.kind == Kind::copy) return;
    kernel_nanoseconds_ += std::max<std::int64_t>(0, work.end - std::max(work.start, kernel_end_));
    kernel_end_ = std::max(kernel_end_, work.end);
  }

  void finish(DeviceTime& time) const {
    time.seconds = static_cast<double>(any_end_ - begin_) * second;
    time.busy_seconds = static_cast<double>(kernel_nanoseconds_) * second;
    time.copy_seconds = static_cast<double>(any_nanoseconds_ - kernel_nanoseconds_) * second;
    time.gap_seconds = static_cast<double>(gap_) * second;
    time.synchronization_seconds = static_cast<double>(synchronization_) * second;
    time.host_seconds = static_cast<double>(host_) * second;
    time.unknown_seconds = static_cast<double>(unknown_) * second;
  }

 private:
  /// Attributes the idle time from any_end_ to the start of `next`.
  void idle(const GpuWork& next) {
    const std::int64_t length = next.start - any_end_;
    const auto* call = launches_.of(next);
    if (call == nullptr) {
      unknown_ += length;
    } else if (call->start <= any_end_) {
      gap_ += length;
    } else {
      // The launch call and its latency count as the host's.
      const std::int64_t until = std::min(call->start, next.start);
      const std::int64_t waited = waits_.inside(call->process, call->thread, any_end_, until);
      synchronization_ += waited;
      host_ += length - waited;
    }
  }

  const Launches& launches_;
  const Waits& waits_;
  bool is_first_ = true;
  std::int64_t begin_ = 0;
  std::int64_t any_end_ = 0;
  std::int64_t kernel_end_ = 0;
  std::int64_t any_nanoseconds_ = 0;
  std::int64_t kernel_nanoseconds_ = 0;
  std::int64_t gap_ = 0;
  std::int64_t synchronization_ = 0;
  std::int64_t host_ = 0;
  std::int64_t unknown_ = 0;
};

/// An operator that a framework computes by several kernels.
struct SplitOperator {
  std::string_view name;
  /// What would do all of it.
  std::string_view call;
  std::vector<std::string_view> operations;
};

/// Longer ones first. As transformers writes them, eagerly.
std::vector<SplitOperator> split_operators() {
  return {
      {"RMS normalization",
       "one layer normalization of cuDNN without a mean",
       {"pow", "mean", "add", "rsqrt", "mul", "mul"}},
      {"rotary embedding", "one elementwise graph of cuDNN", {"mul", "neg", "cat", "mul", "add"}},
      {"gated function", "one elementwise graph of cuDNN", {"silu", "mul"}},
      {"gated function", "one elementwise graph of cuDNN", {"gelu", "mul"}}};
}

/// One kernel of a framework.
struct OwnKernel {
  std::int64_t start = 0;
  std::string_view operation;
  double seconds = 0;
};

class FrameworkTimes {
 public:
  /// Kernels of one stream, in order.
  void add(const std::vector<OwnKernel>& kernels) {
    // Conversions may lie between the kernels of an operator; they are counted by themselves.
    std::vector<OwnKernel> computing;
    for (const OwnKernel& kernel : kernels) {
      if (kernel.operation != "copy") computing.push_back(kernel);
    }
    for (std::size_t at = 0; at < computing.size();) at += take(computing, at);
    for (const OwnKernel& kernel : kernels) {
      if (kernel.operation == "copy") count(std::string(kernel.operation), kernel.seconds);
    }
  }

  std::vector<DeviceRow> rows() && {
    std::ranges::stable_sort(rows_, [](const DeviceRow& a, const DeviceRow& b) {
      return a.exclusive_seconds > b.exclusive_seconds;
    });
    return std::move(rows_);
  }

 private:
  /// The number of kernels that are one operator from `at` on.
  std::size_t take(const std::vector<OwnKernel>& kernels, std::size_t at) {
    for (const SplitOperator& one : operators_) {
      const std::size_t count_of = one.operations.size();
      if (at + count_of > kernels.size()) continue;
      double seconds = 0;
      bool fits = true;
      for (std::size_t i = 0; fits && i < count_of; ++i) {
        fits = kernels[at + i].operation == one.operations[i];
        seconds += kernels[at + i].seconds;
      }
      if (!fits) continue;
      std::string name(one.name);
      for (std::size_t i = 0; i < count_of; ++i) {
        name += (i == 0 ? " (" : " ") + std::string(one.operations[i]);
      }
      count(name + "): " + std::string(one.call), seconds);
      return count_of;
    }
    count(std::string(kernels[at].operation), kernels[at].seconds);
    return 1;
  }

  void count(const std::string& name, double seconds) {
    const auto [place, is_new] = places_.try_emplace(name, rows_.size());
    if (is_new) rows_.push_back({.name = name});
    DeviceRow& row = rows_[place->second];
    ++row.calls;
    row.exclusive_seconds += seconds;
    row.inclusive_seconds += seconds;
  }

  std::vector<SplitOperator> operators_ = split_operators();
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<DeviceRow> rows_;
};

}  // namespace

std::vector<DeviceTime> device_times(const DeviceRecording& recording, const Launches& launches) {
  const Waits waits(recording);
  std::map<std::pair<std::int64_t, std::int64_t>, Sweep> sweeps;
  for (const GpuWork& work : recording.work) {
    sweeps.try_emplace({work.process, work.device}, launches, waits).first->second.add(work);
  }
  std::vector<DeviceTime> times;
  for (const auto& [place, sweep] : sweeps) {
    DeviceTime time{.process = place.first, .device = place.second};
    for (const auto& device : recording.devices) {
      if (device.process == place.first && device.id == place.second) time.name = device.name;
    }
    sweep.finish(time);
    times.push_back(std::move(time));
  }
  return times;
}

std::vector<DeviceRow> framework_rows(const DeviceRecording& recording) {
  // By name of a kernel; empty for those of libraries.
  std::vector<std::optional<std::string>> operations(recording.names.size());
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<OwnKernel>> streams;
  for (const DeviceRecording::Work& work : recording.work) {
    if (work.kind != DeviceRecording::Work::Kind::kernel) continue;
    std::optional<std::string>& operation = operations[work.name];
    if (!operation) {
      const std::string& name = recording.names[work.name];
      operation = is_framework_kernel(name) ? framework_operation(name) : "";
    }
    if (operation->empty()) continue;
    streams[{work.process, work.device, work.stream}].push_back(
        {work.start, *operation, static_cast<double>(work.nanoseconds()) * 1e-9});
  }
  FrameworkTimes times;
  for (auto& [stream, kernels] : streams) {
    std::ranges::stable_sort(kernels, {}, &OwnKernel::start);
    times.add(kernels);
  }
  return std::move(times).rows();
}

}  // namespace benanza
