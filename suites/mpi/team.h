#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "suites/mpi/rank_collective.h"
#include "suites/mpi/world.h"

namespace benanza::mpi {

/// Rank 0's handle on all ranks. It sends them orders, so that they agree on problems and numbers
/// of calls. One collective is open at a time. If a rank fails, rank 0 throws std::runtime_error
/// naming the rank.
class Team {
 public:
  explicit Team(const World& world) : world_(world) {}
  /// Ends the other ranks, too.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const World& world() const { return world_; }

  /// Closes the previous collective.
  void open(const Collective& shape);
  void close();
  void upload(int rank, std::span<const float> values);
  void poison();
  void run();
  /// The time of the slowest rank, in seconds.
  double time(std::int64_t calls, bool cold);
  /// What every rank received, in rank order.
  std::vector<float> download();

 private:
  const World& world_;
  Collective shape_{};
  std::unique_ptr<RankCollective> own_;
};

/// Runs on all ranks except 0: executes the orders of rank 0 until it ends. While waiting they
/// leave the CPU to rank 0, which may need it.
void follow(const World& world);

}  // namespace benanza::mpi
