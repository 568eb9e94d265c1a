#pragma once

#include <memory>

#include "suites/harness/backend.h"
#include "suites/mpi/team.h"

namespace benanza::mpi {

/// Collectives of the MPI library over the team's ranks, at fp32. `team` must outlive the backend.
std::unique_ptr<harness::Backend> make_backend(Team& team);

}  // namespace benanza::mpi
