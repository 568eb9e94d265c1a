#include "suites/onednn/backend.h"

#include "suites/harness/conditions/host_observer.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/onednn/checked.h"
#include "suites/onednn/solvers.h"
#include "suites/onednn/system.h"

namespace benanza::onednn {
namespace {

Library open_library() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return {.engine = engine, .stream = dnnl::stream(engine)};
}

class OnednnBackend final : public harness::SolverBackend<Library> {
 public:
  OnednnBackend()
      : SolverBackend("oneDNN", solvers()),
        library_(open_library()),
        stopwatch_([stream = library_.stream]() mutable { stream.wait(); }) {
    // The library lists an implementation twice if it is in its cache.
    dnnl::set_primitive_cache_capacity(0);
  }

  std::string_view name() const override { return "onednn"; }
  std::vector<std::string> devices() const override {
    const System system = describe_system();
    return {"0: " + system.at("cpu_model") + ", " + system.at("threads") + " threads"};
  }
  System system() override { return describe_system(); }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }
  harness::Observer* observer() override { return &observer_; }

 private:
  Library& library() override { return library_; }

  Library library_;
  harness::HostStopwatch stopwatch_;
  harness::HostObserver observer_{harness::CacheFlush::of_this_machine().processors};
};

}  // namespace

std::unique_ptr<harness::Backend> make_backend() {
  return checked("engine", [] { return std::make_unique<OnednnBackend>(); });
}

}  // namespace benanza::onednn
