#include "suites/mpi/team.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>

namespace benanza::mpi {
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
