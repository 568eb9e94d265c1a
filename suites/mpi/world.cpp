#include "suites/mpi/world.h"

#include <stdexcept>

namespace benanza::mpi {

void check(int status, std::string_view call) {
  if (status == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(status, words, &length);
  throw std::runtime_error(std::string(call) + ": " + words);
}

World::World(int& argc, char**& argv) {
  check(MPI_Init(&argc, &argv), "MPI_Init");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(communicator(), &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(communicator(), &size_), "MPI_Comm_size");
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type");
  int rank_on_host = 0;
  MPI_Comm_rank(host, &rank_on_host);
  MPI_Comm_free(&host);
  const int first_of_host = rank_on_host == 0 ? 1 : 0;
  check(MPI_Allreduce(&first_of_host, &hosts_, 1, MPI_INT, MPI_SUM, communicator()),
        "MPI_Allreduce");
}

World::~World() { MPI_Finalize(); }

std::string World::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string_view all = text;
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

Communicator::Communicator(const World& world, int ranks) {
  const int color = world.rank() < ranks ? 0 : MPI_UNDEFINED;
  check(MPI_Comm_split(world.communicator(), color, world.rank(), &communicator_),
        "MPI_Comm_split");
}

Communicator::~Communicator() {
  if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
}

}  // namespace benanza::mpi
