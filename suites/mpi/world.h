#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

namespace benanza::mpi {

/// Returns if `status` is MPI_SUCCESS; otherwise throws std::runtime_error: what was called, and
/// the library's words.
void check(int status, std::string_view call);

/// The processes that mpirun has started, this one among them. One in a process.
class World {
 public:
  World(int& argc, char**& argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Machines on which they run.
  int hosts() const { return hosts_; }
  MPI_Comm communicator() const { return MPI_COMM_WORLD; }

  /// "Open MPI v4.1.4": asked of the loaded library.
  static std::string library();

 private:
  int rank_ = 0;
  int size_ = 1;
  int hosts_ = 1;
};

/// Some of the world's processes, which talk among themselves.
class Communicator {
 public:
  /// The first `ranks` of the world: called by every process of it. Null for the others.
  Communicator(const World& world, int ranks);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return communicator_; }
  explicit operator bool() const { return communicator_ != MPI_COMM_NULL; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

}  // namespace benanza::mpi
