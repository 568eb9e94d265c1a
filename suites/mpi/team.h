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

/// The ranks as rank 0 leads them: it says what all do next, so that they agree on problems and
/// numbers of calls. One collective is open at a time. Whatever a rank fails with, rank 0 throws
/// as std::runtime_error, naming the rank.
class Team {
 public:
  explicit Team(const World& world) : world_(world) {}
  /// The others end, too.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const World& world() const { return world_; }

  /// Closes the one before.
  void open(const Collective& shape);
  void close();
  void upload(int rank, std::span<const float> values);
  void poison();
  void run();
  /// Seconds of the slowest rank.
  double time(std::int64_t calls, bool cold);
  /// What every rank got, rank after rank.
  std::vector<float> download();

 private:
  const World& world_;
  Collective shape_{};
  std::unique_ptr<RankCollective> own_;
};

/// What ranks but 0 do: as the team's leader says, until it ends. They wait without using their
/// processors, which rank 0 may need.
void follow(const World& world);

}  // namespace benanza::mpi
