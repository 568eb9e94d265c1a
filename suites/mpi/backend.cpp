#include "suites/mpi/backend.h"

#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "suites/harness/choose/collective_problems.h"
#include "suites/harness/machine_context.h"

namespace benanza::mpi {
namespace {

using harness::Unsupported;

constexpr const char* default_algorithm = "default";

std::string processors() { return std::to_string(std::thread::hardware_concurrency()); }

/// The memory available on this host, in bytes; empty if the system does not report it.
std::optional<double> available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return std::nullopt;
}

/// Needed on rank 0's host: the buffers of its ranks, and all ranks' operands and results, which
/// are compared there.
double needed_bytes(const Collective& shape, int hosts) {
  const auto all = static_cast<double>(shape.ranks) * sizeof(float) *
                   static_cast<double>(shape.sent_elements() + shape.received_elements());
  return all / hosts + all;
}

/// The collective of all ranks, as seen by rank 0.
class TeamPrimitive : public harness::Primitive {
 public:
  TeamPrimitive(Team& team, const Collective& shape) : team_(team), ranks_(shape.ranks) {
    team_.open(shape);
  }
  ~TeamPrimitive() override {
    try {
      team_.close();
    } catch (const std::exception&) {
      // Opening the next collective reports the error.
    }
  }
  TeamPrimitive(const TeamPrimitive&) = delete;
  TeamPrimitive& operator=(const TeamPrimitive&) = delete;

  void upload(std::size_t index, std::span<const float> values) override {
    team_.upload(static_cast<int>(index), values);
  }
  void poison_output() override { team_.poison(); }
  void run() override { team_.run(); }
  std::vector<float> download() override { return team_.download(); }
  std::int64_t workspace_bytes() const override { return 0; }
  Facts facts() override {
    const bool crowded = ranks_ > std::thread::hardware_concurrency() * team_.world().hosts();
    return {{"ranks_share_processors", crowded}};
  }

  Team& team() const { return team_; }

 private:
  Team& team_;
  std::int64_t ranks_;
};

/// Times the slowest rank.
class TeamStopwatch : public harness::Stopwatch {
 public:
  double time(harness::Primitive& primitive, std::int64_t calls) override {
    return dynamic_cast<TeamPrimitive&>(primitive).team().time(calls, false);
  }
  double time_cold(harness::Primitive& primitive) override {
    return dynamic_cast<TeamPrimitive&>(primitive).team().time(1, true);
  }
};

class MpiBackend : public harness::Backend {
 public:
  explicit MpiBackend(Team& team) : team_(team) {}

  std::string_view name() const override { return "mpi"; }
  std::vector<harness::BackendFlag> flags() const override { return harness::collective_flags(); }
  std::vector<LibraryVersion> libraries() const override { return {{"MPI", World::library()}}; }
  std::vector<std::string> devices() const override {
    return {"0: " + harness::cpu_model() + ", " + processors() +
            " processors, ranks: " + std::to_string(team_.world().size()) +
            ", hosts: " + std::to_string(team_.world().hosts())};
  }
  bool can_start_again() const override { return false; }
  System system() override {
    if (team_.world().size() < 2) {
      throw harness::NoDevice("one rank alone: start it as mpirun -n 2 bench_mpi");
    }
    return {{"cpu_model", harness::cpu_model()},
            {"processors", processors()},
            {"hosts", std::to_string(team_.world().hosts())},
            {"mpi_library", World::library()}};
  }
  std::vector<Layout> layouts(const Problem& problem) const override {
    if (!std::holds_alternative<Collective>(problem.shape)) return {};
    return {Layout::plain};
  }
  std::vector<harness::Way> ways(const harness::Variant& prototype,
                                 harness::AlgorithmSet) override {
    const auto& shape = std::get<Collective>(prototype.problem.shape);
    if (prototype.precision != Precision::fp32) {
      throw Unsupported(World::library() + " has no type for " +
                        std::string(to_string(prototype.precision)));
    }
    if (shape.ranks > team_.world().size()) {
      throw Unsupported("needs " + std::to_string(shape.ranks) + " ranks, and there are " +
                        std::to_string(team_.world().size()) + ": mpirun -n " +
                        std::to_string(shape.ranks));
    }
    if (shape.elements > std::numeric_limits<int>::max()) {
      throw Unsupported("more elements than an int counts");
    }
    const double needed = needed_bytes(shape, team_.world().hosts());
    if (const auto there = available_bytes(); there && needed > *there) {
      throw Unsupported("needs " + harness::bytes_text(needed) + " of memory, and " +
                        harness::bytes_text(*there) + " are free");
    }
    return {way_of(prototype)};
  }
  harness::Way way(const harness::Variant& variant) override {
    if (variant.algorithm != default_algorithm) {
      throw Unsupported("unknown algorithm " + variant.algorithm);
    }
    return way_of(variant);
  }
  /// Not asked: every process holds the buffers of its rank.
  harness::Allocator& allocator() override { return allocator_; }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }

 private:
  harness::Way way_of(const harness::Variant& variant) {
    return {
        .name = default_algorithm,
        .make = [this, shape = std::get<Collective>(variant.problem.shape)](harness::Operands&) {
          return std::make_unique<TeamPrimitive>(team_, shape);
        }};
  }

  Team& team_;
  harness::HostAllocator allocator_;
  TeamStopwatch stopwatch_;
};

}  // namespace

std::unique_ptr<harness::Backend> make_backend(Team& team) {
  return std::make_unique<MpiBackend>(team);
}

}  // namespace benanza::mpi
