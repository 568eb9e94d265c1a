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
  /// Called by every process of the world.
  RankCollective(const World& world, const Collective& shape);

  /// False for a process that does not take part. It does nothing below.
  explicit operator bool() const { return static_cast<bool>(communicator_); }
  bool sends() const { return !sent_.empty(); }
  std::span<float> sent() { return sent_; }
  std::span<const float> received() const { return received_; }
  /// Fills what it gets with NaN. A broadcast's root gets nothing.
  void poison();
  void run();
  /// Seconds of `calls` calls, of this rank, from when all were ready to begin; after its caches
  /// were flushed if `cold`.
  double time(std::int64_t calls, bool cold);

 private:
  void barrier();
  /// The clock of one rank.
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
  /// A broadcast's root sends what the others receive in the same buffer: here it has none.
  std::vector<float> received_;
  RankStopwatch stopwatch_{*this};
};

}  // namespace benanza::mpi
