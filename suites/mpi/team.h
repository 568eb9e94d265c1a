#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/ops/collective.h"

namespace benanza::mpi {

/// Returns if `status` is MPI_SUCCESS; otherwise throws std::runtime_error with the call and the
/// library's message.
void check(int status, std::string_view call);

/// The processes started by mpirun, including this one. One per process.
class World {
 public:
  World(int& argc, char**& argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The number of machines on which they run.
  int hosts() const { return hosts_; }
  MPI_Comm communicator() const { return MPI_COMM_WORLD; }

  /// "Open MPI v4.1.4", as reported by the loaded library.
  static std::string library();

 private:
  int rank_ = 0;
  int size_ = 1;
  int hosts_ = 1;
};

/// A communicator of some of the world's processes.
class Communicator {
 public:
  /// The first `ranks` processes of the world. Must be called by all of them; null for the others.
  Communicator(const World& world, int ranks);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return communicator_; }
  explicit operator bool() const { return communicator_ != MPI_COMM_NULL; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

class RankCollective;

/// Rank 0's handle on all ranks. It sends them orders, so that they agree on problems and numbers
/// of calls. One collective is open at a time. If a rank fails, rank 0 throws std::runtime_error
/// naming the rank.
class Team {
 public:
  explicit Team(const World& world);
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
