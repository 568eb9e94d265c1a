#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/ops/collective.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/mpi/world.h"

namespace benanza::mpi {

/// One rank's part of a collective at fp32: its buffers and its calls.
class RankCollective {
 public:
  /// Must be called by every process of the world.
  RankCollective(const World& world, const Collective& shape);

  /// False for a process that does not take part; the functions below then do nothing.
  explicit operator bool() const { return static_cast<bool>(communicator_); }
  bool sends() const { return !sent_.empty(); }
  std::span<float> sent() { return sent_; }
  std::span<const float> received() const { return received_; }
  /// Fills the receive buffer with NaN. A broadcast's root has none.
  void poison();
  void run();
  /// The time of `calls` calls on this rank, in seconds, from the moment when all ranks are ready;
  /// if `cold`, after flushing its caches.
  double time(std::int64_t calls, bool cold);

 private:
  void barrier();
  /// Times one rank.
  class RankStopwatch : public harness::HostStopwatch {
   public:
    explicit RankStopwatch(RankCollective& collective) : collective_(collective) {}
    double time(harness::Primitive& primitive, std::int64_t calls) override {
      collective_.barrier();
      return HostStopwatch::time(primitive, calls);
    }

   private:
    RankCollective& collective_;
  };

  Collective shape_;
  Communicator communicator_;
  bool is_root_;
  std::vector<float> sent_;
  /// Empty on a broadcast's root, which sends from the buffer in which the others receive.
  std::vector<float> received_;
  RankStopwatch stopwatch_{*this};
};

}  // namespace benanza::mpi
