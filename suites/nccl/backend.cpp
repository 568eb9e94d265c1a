#include "suites/nccl/backend.h"

#include <optional>
#include <string>

#include "suites/harness/choose/collective_problems.h"
#include "suites/nccl/gpus.h"
#include "suites/nccl/primitive.h"
#include "suites/nccl/stopwatch.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nccl {
namespace {

using harness::Unsupported;

constexpr const char* in_graph = "default";
constexpr const char* launched = "launched";

class NcclBackend : public harness::Backend {
 public:
  explicit NcclBackend(int least_gpus) : least_gpus_(least_gpus) {}

  std::string_view name() const override { return "nccl"; }
  std::vector<harness::BackendFlag> flags() const override { return harness::collective_flags(); }
  std::vector<LibraryVersion> libraries() const override { return {{"NCCL", library_version()}}; }
  std::vector<std::string> devices() const override { return nvidia::usable_devices(); }
  bool can_start_again() const override { return false; }
  System system() override {
    if (gpus().count() < least_gpus_) {
      throw harness::NoDevice("one GPU alone; with --ranks=2 its rows say so");
    }
    return gpus().system();
  }
  std::vector<Layout> layouts(const Problem& problem) const override {
    if (!std::holds_alternative<Collective>(problem.shape)) return {};
    return {Layout::plain};
  }
  std::vector<harness::Way> ways(const harness::Variant& prototype,
                                 harness::AlgorithmSet set) override {
    const Precision precision = prototype.precision;
    if (precision != Precision::fp32 && precision != Precision::fp16 &&
        precision != Precision::bf16) {
      throw Unsupported("collectives are measured at fp32, fp16 and bf16");
    }
    const auto& shape = std::get<Collective>(prototype.problem.shape);
    if (const int there = visible_gpus(); there > 0 && shape.ranks > there) {
      throw Unsupported("needs " + std::to_string(shape.ranks) + " GPUs, and there " +
                        (there == 1 ? "is 1" : "are " + std::to_string(there)));
    }
    std::vector<harness::Way> found{way_of(prototype, true)};
    if (set != harness::AlgorithmSet::best) found.push_back(way_of(prototype, false));
    return found;
  }
  harness::Way way(const harness::Variant& variant) override {
    if (variant.algorithm != in_graph && variant.algorithm != launched) {
      throw Unsupported("unknown algorithm " + variant.algorithm);
    }
    return way_of(variant, variant.algorithm == in_graph);
  }
  /// Not asked: every GPU holds the buffers of its rank.
  harness::Allocator& allocator() override { return allocator_; }
  harness::Stopwatch& stopwatch() override {
    gpus();
    return *stopwatch_;
  }
  harness::Observer* observer() override { return gpus().observer(); }

 private:
  harness::Way way_of(const harness::Variant& variant, bool is_in_graph) {
    return {.name = is_in_graph ? in_graph : launched,
            .make = [this, shape = std::get<Collective>(variant.problem.shape),
                     precision = variant.precision, is_in_graph](harness::Operands&) {
              Gpus& all = gpus();
              return std::make_unique<CollectivePrimitive>(all, *stopwatch_, shape, precision,
                                                           is_in_graph);
            }};
  }
  Gpus& gpus() {
    if (!gpus_) {
      gpus_.emplace();
      stopwatch_.emplace(*gpus_);
    }
    return *gpus_;
  }

  int least_gpus_;
  harness::HostAllocator allocator_;
  std::optional<Gpus> gpus_;
  std::optional<GroupStopwatch> stopwatch_;
};

}  // namespace

std::unique_ptr<harness::Backend> make_backend(int least_gpus) {
  return std::make_unique<NcclBackend>(least_gpus);
}

std::vector<std::int64_t> worthwhile_ranks(int gpus) {
  std::vector<std::int64_t> all{2};
  for (std::int64_t ranks = 4; ranks <= gpus; ranks *= 2) all.push_back(ranks);
  if (gpus > all.back()) all.push_back(gpus);
  return all;
}

}  // namespace benanza::nccl
