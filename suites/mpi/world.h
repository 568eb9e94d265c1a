#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

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

}  // namespace benanza::mpi
