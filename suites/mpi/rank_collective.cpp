#include "suites/mpi/rank_collective.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace benanza::mpi {
namespace {

/// Adapts the calls to the stopwatch's interface.
class Calls : public harness::Primitive {
 public:
  explicit Calls(RankCollective& collective) : collective_(collective) {}
  void upload(std::size_t, std::span<const float>) override {}
  void poison_output() override {}
  void run() override { collective_.run(); }
  std::vector<float> download() override { return {}; }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  RankCollective& collective_;
};

std::size_t size_of(std::int64_t elements) { return static_cast<std::size_t>(elements); }

}  // namespace

RankCollective::RankCollective(const World& world, const Collective& shape)
    : shape_(shape),
      communicator_(world, static_cast<int>(shape.ranks)),
      is_root_(world.rank() == 0) {
  if (!communicator_) return;
  const bool broadcast = shape.kind == CollectiveKind::broadcast;
  if (!broadcast || is_root_) sent_.resize(size_of(shape.sent_elements()));
  if (!broadcast || !is_root_) received_.resize(size_of(shape.received_elements()));
}

void RankCollective::poison() {
  std::ranges::fill(received_, std::numeric_limits<float>::quiet_NaN());
}

void RankCollective::run() {
  if (!communicator_) return;
  const MPI_Comm all = communicator_.get();
  const auto elements = static_cast<int>(shape_.elements);
  const auto part = static_cast<int>(shape_.elements / shape_.ranks);
  switch (shape_.kind) {
    case CollectiveKind::all_reduce:
      return check(MPI_Allreduce(sent_.data(), received_.data(), elements, MPI_FLOAT, MPI_SUM, all),
                   "MPI_Allreduce");
    case CollectiveKind::all_gather:
      return check(
          MPI_Allgather(sent_.data(), part, MPI_FLOAT, received_.data(), part, MPI_FLOAT, all),
          "MPI_Allgather");
    case CollectiveKind::reduce_scatter:
      return check(
          MPI_Reduce_scatter_block(sent_.data(), received_.data(), part, MPI_FLOAT, MPI_SUM, all),
          "MPI_Reduce_scatter_block");
    case CollectiveKind::broadcast:
      return check(
          MPI_Bcast(is_root_ ? sent_.data() : received_.data(), elements, MPI_FLOAT, 0, all),
          "MPI_Bcast");
    case CollectiveKind::all_to_all:
      return check(
          MPI_Alltoall(sent_.data(), part, MPI_FLOAT, received_.data(), part, MPI_FLOAT, all),
          "MPI_Alltoall");
  }
  throw std::logic_error("unknown collective");
}

double RankCollective::time(std::int64_t calls, bool cold) {
  if (!communicator_) return 0;
  Calls timed(*this);
  return cold ? stopwatch_.time_cold(timed) : stopwatch_.time(timed, calls);
}

void RankCollective::barrier() { check(MPI_Barrier(communicator_.get()), "MPI_Barrier"); }

}  // namespace benanza::mpi
