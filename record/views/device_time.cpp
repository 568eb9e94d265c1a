#include "record/views/device_time.h"

#include <algorithm>
#include <map>

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

}  // namespace benanza
