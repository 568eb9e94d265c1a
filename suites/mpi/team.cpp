#include "suites/mpi/team.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <thread>

#include "suites/harness/measure/host_stopwatch.h"

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

namespace {

std::size_t size_of(std::int64_t elements) { return static_cast<std::size_t>(elements); }

}  // namespace

/// One rank's part of a collective at fp32: its buffers and its calls.
class RankCollective {
 public:
  /// Must be called by every process of the world.
  RankCollective(const World& world, const Collective& shape)
      : shape_(shape),
        communicator_(world, static_cast<int>(shape.ranks)),
        is_root_(world.rank() == 0) {
    if (!communicator_) return;
    const bool broadcast = shape.kind == CollectiveKind::broadcast;
    if (!broadcast || is_root_) sent_.resize(size_of(shape.sent_elements()));
    if (!broadcast || !is_root_) received_.resize(size_of(shape.received_elements()));
  }

  /// False for a process that does not take part; the functions below then do nothing.
  explicit operator bool() const { return static_cast<bool>(communicator_); }
  bool sends() const { return !sent_.empty(); }
  std::span<float> sent() { return sent_; }
  std::span<const float> received() const { return received_; }
  /// Fills the receive buffer with NaN. A broadcast's root has none.
  void poison() { std::ranges::fill(received_, std::numeric_limits<float>::quiet_NaN()); }

  void run() {
    if (!communicator_) return;
    const MPI_Comm all = communicator_.get();
    const auto elements = static_cast<int>(shape_.elements);
    const auto part = static_cast<int>(shape_.elements / shape_.ranks);
    switch (shape_.kind) {
      case CollectiveKind::all_reduce:
        return check(
            MPI_Allreduce(sent_.data(), received_.data(), elements, MPI_FLOAT, MPI_SUM, all),
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

  /// The time of `calls` calls on this rank, in seconds, from the moment when all ranks are ready;
  /// if `cold`, after flushing its caches.
  double time(std::int64_t calls, bool cold) {
    if (!communicator_) return 0;
    Calls timed(*this);
    return cold ? stopwatch_.time_cold(timed) : stopwatch_.time(timed, calls);
  }

 private:
  /// Adapts the calls to the stopwatch's interface.
  class Calls : public harness::BareCall {
   public:
    explicit Calls(RankCollective& collective) : collective_(collective) {}
    void run() override { collective_.run(); }

   private:
    RankCollective& collective_;
  };
  void barrier() { check(MPI_Barrier(communicator_.get()), "MPI_Barrier"); }
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

namespace {

enum class Order : std::int64_t { open, close, upload, poison, run, time, download, end };

/// A message from rank 0: an order and its arguments.
struct Message {
  Order order = Order::end;
  std::array<std::int64_t, 3> numbers{};
};

constexpr int values_tag = 1;

/// Broadcasts a message from rank 0 to the others.
void share(const World& world, Message& message) {
  constexpr std::chrono::microseconds nap{50};
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibcast(&message, static_cast<int>(sizeof message), MPI_BYTE, 0, world.communicator(),
                   &request),
        "MPI_Ibcast");
  for (int done = 0;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    if (world.rank() != 0) std::this_thread::sleep_for(nap);
  }
}

/// A rank's reply after an order.
struct Report {
  double value = 0;
  /// Empty on success.
  char reason[256] = "";
};

/// Does this rank's part of an order. On rank 0, returns the largest value of all ranks; throws
/// std::runtime_error if a rank failed.
double slowest(const World& world, const std::function<double()>& work) {
  Report own;
  const auto failed = [&](const char* reason) {
    std::strncpy(own.reason, reason, sizeof own.reason - 1);
  };
  try {
    own.value = work();
  } catch (const std::bad_alloc&) {
    failed("out of memory");
  } catch (const std::exception& error) {
    failed(error.what());
  }
  std::vector<Report> all(world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0);
  constexpr int bytes = sizeof(Report);
  check(MPI_Gather(&own, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, world.communicator()),
        "MPI_Gather");
  double most = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].reason[0] != 0) {
      throw std::runtime_error("rank " + std::to_string(rank) + ": " + all[rank].reason);
    }
    most = std::max(most, all[rank].value);
  }
  return most;
}

void all_do(const World& world, const std::function<void()>& work) {
  slowest(world, [&] {
    work();
    return 0.0;
  });
}

Message opening(const Collective& shape) {
  return {Order::open, {static_cast<std::int64_t>(shape.kind), shape.elements, shape.ranks}};
}

Collective shape_of(const Message& message) {
  return {static_cast<CollectiveKind>(message.numbers[0]), message.numbers[1], message.numbers[2]};
}

int count_of(std::span<const float> values) { return static_cast<int>(values.size()); }

}  // namespace

Team::Team(const World& world) : world_(world) {}

Team::~Team() {
  try {
    Message message{Order::end, {}};
    share(world_, message);
  } catch (const std::exception&) {
    // The other ranks have already ended.
  }
}

void Team::open(const Collective& shape) {
  close();
  Message message = opening(shape);
  share(world_, message);
  shape_ = shape;
  all_do(world_, [&] { own_ = std::make_unique<RankCollective>(world_, shape); });
}

void Team::close() {
  Message message{Order::close, {}};
  share(world_, message);
  all_do(world_, [&] { own_.reset(); });
}

void Team::upload(int rank, std::span<const float> values) {
  if (static_cast<std::int64_t>(values.size()) != shape_.sent_elements()) {
    throw std::invalid_argument("wrong number of values");
  }
  Message message{Order::upload, {rank}};
  share(world_, message);
  all_do(world_, [&] {
    if (rank == 0) {
      std::ranges::copy(values, own_->sent().begin());
    } else {
      check(MPI_Send(values.data(), count_of(values), MPI_FLOAT, rank, values_tag,
                     world_.communicator()),
            "MPI_Send");
    }
  });
}

void Team::poison() {
  Message message{Order::poison, {}};
  share(world_, message);
  all_do(world_, [&] { own_->poison(); });
}

void Team::run() {
  Message message{Order::run, {}};
  share(world_, message);
  all_do(world_, [&] { own_->run(); });
}

double Team::time(std::int64_t calls, bool cold) {
  Message message{Order::time, {calls, cold ? 1 : 0}};
  share(world_, message);
  return slowest(world_, [&]() -> double { return own_->time(calls, cold); });
}

std::vector<float> Team::download() {
  Message message{Order::download, {}};
  share(world_, message);
  std::vector<float> all;
  all_do(world_, [&] {
    const auto each = static_cast<std::size_t>(shape_.received_elements());
    all.resize(each * static_cast<std::size_t>(shape_.ranks));
    const std::span<const float> own =
        own_->received().empty() ? std::span<const float>(own_->sent()) : own_->received();
    std::ranges::copy(own, all.begin());
    for (int rank = 1; rank < shape_.ranks; ++rank) {
      check(MPI_Recv(all.data() + static_cast<std::size_t>(rank) * each, static_cast<int>(each),
                     MPI_FLOAT, rank, values_tag, world_.communicator(), MPI_STATUS_IGNORE),
            "MPI_Recv");
    }
  });
  return all;
}

void follow(const World& world) {
  std::unique_ptr<RankCollective> own;
  for (Message message;;) {
    share(world, message);
    switch (message.order) {
      case Order::end:
        return;
      case Order::open:
        all_do(world, [&] { own = std::make_unique<RankCollective>(world, shape_of(message)); });
        break;
      case Order::close:
        all_do(world, [&] { own.reset(); });
        break;
      case Order::upload:
        all_do(world, [&] {
          if (message.numbers[0] != world.rank()) return;
          check(MPI_Recv(own->sent().data(), count_of(own->sent()), MPI_FLOAT, 0, values_tag,
                         world.communicator(), MPI_STATUS_IGNORE),
                "MPI_Recv");
        });
        break;
      case Order::poison:
        all_do(world, [&] { own->poison(); });
        break;
      case Order::run:
        all_do(world, [&] { own->run(); });
        break;
      case Order::time:
        slowest(world,
                [&]() -> double { return own->time(message.numbers[0], message.numbers[1] != 0); });
        break;
      case Order::download:
        all_do(world, [&] {
          if (!*own) return;
          check(MPI_Send(own->received().data(), count_of(own->received()), MPI_FLOAT, 0,
                         values_tag, world.communicator()),
                "MPI_Send");
        });
        break;
    }
  }
}

}  // namespace benanza::mpi
