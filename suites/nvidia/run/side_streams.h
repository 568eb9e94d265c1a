#pragma once

#include <cstddef>
#include <vector>

#include "suites/harness/primitive.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::nvidia {

/// Streams that run side by side between two places of another one, also in a graph that is being
/// captured. None: nothing happens.
class SideStreams {
 public:
  explicit SideStreams(std::size_t count) : fork_(make_event()) {
    for (; count > 0; --count) sides_.push_back({make_stream(), make_event()});
  }

  std::size_t count() const { return sides_.size(); }
  cudaStream_t at(std::size_t side) const { return sides_[side].stream.get(); }

  /// Their work waits for what `from` has so far.
  void fork(cudaStream_t from) const {
    if (sides_.empty()) return;
    check(cudaEventRecord(fork_.get(), from), "cudaEventRecord");
    for (const Side& side : sides_) {
      check(cudaStreamWaitEvent(side.stream.get(), fork_.get()), "cudaStreamWaitEvent");
    }
  }
  /// `into` waits for their work.
  void join(cudaStream_t into) const {
    for (const Side& side : sides_) {
      check(cudaEventRecord(side.done.get(), side.stream.get()), "cudaEventRecord");
      check(cudaStreamWaitEvent(into, side.done.get()), "cudaStreamWaitEvent");
    }
  }

 private:
  struct Side {
    Stream stream;
    Event done;
  };

  Event fork_;
  std::vector<Side> sides_;
};

/// Tasks that run at the same time where none has to wait for the other: in a graph that is being
/// captured, each is a graph of its own, behind those of the tasks before it. Without a capture,
/// they run in order.
class Branches final : public harness::BareCall {
 public:
  /// `stream`: where the tasks' calls enqueue their work. Runs all once. Throws Unsupported if a
  /// task cannot be captured. The calls must outlive this.
  Branches(cudaStream_t stream, std::vector<harness::Task> tasks);

  void run() override;

 private:
  void run_in_order() const;
  void add_to_capture() const;

  cudaStream_t stream_;
  std::vector<harness::Task> tasks_;
  std::vector<Graph> graphs_;
};

}  // namespace benanza::nvidia
