#pragma once

#include <cstddef>
#include <vector>

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

}  // namespace benanza::nvidia
