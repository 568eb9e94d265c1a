#include "suites/eigen/backend.h"

#include <omp.h>

#include <Eigen/Core>
#include <string>

#include "suites/harness/conditions/anchors.h"
#include "suites/harness/conditions/energy_meter.h"
#include "suites/harness/conditions/host_observer.h"
#include "suites/harness/machine_context.h"
#include "suites/harness/measure/host_stopwatch.h"

namespace benanza::eigen {
namespace {

std::string version() {
  return std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
         std::to_string(EIGEN_MINOR_VERSION);
}

class EigenBackend final : public harness::TableBackend<Library> {
 public:
  EigenBackend() : TableBackend("Eigen", way_table()) {}

  std::string_view name() const override { return "eigen"; }
  std::vector<LibraryVersion> libraries() const override { return {{"Eigen", version()}}; }
  std::vector<std::string> devices() const override {
    return {"0: " + harness::cpu_model() + ", " + std::to_string(omp_get_max_threads()) +
            " threads"};
  }
  System system() override {
    return {{"cpu_model", harness::cpu_model()},
            {"threads", std::to_string(omp_get_max_threads())},
            {"eigen_version", version()},
            {"simd", Eigen::SimdInstructionSetsInUse()},
            {"compiler", __VERSION__}};
  }
  harness::Allocator& allocator() override { return allocator_; }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }
  std::vector<std::pair<std::string, std::string>> context() override {
    anchors_.sample_block();
    return anchors_.context_entries();
  }
  harness::Observer* observer() override { return &anchored_; }
  harness::EnergyMeter* energy_meter() override {
    return meter_.is_available() ? &meter_ : nullptr;
  }

 private:
  Library& library() override { return library_; }

  Library library_;
  harness::HostAllocator allocator_;
  harness::HostStopwatch stopwatch_;
  harness::HostObserver observer_{harness::CacheFlush::of_this_machine().processors};
  harness::Anchors anchors_{harness::host_anchors()};
  harness::AnchoredObserver anchored_{observer_, anchors_};
  harness::RaplMeter meter_;
};

}  // namespace

std::unique_ptr<harness::Backend> make_backend() { return std::make_unique<EigenBackend>(); }

}  // namespace benanza::eigen
