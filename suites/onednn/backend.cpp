#include "suites/onednn/backend.h"

#include "suites/harness/measure/host_stopwatch.h"
#include "suites/onednn/checked.h"
#include "suites/onednn/implementations.h"
#include "suites/onednn/primitive.h"
#include "suites/onednn/system.h"

namespace benanza {
namespace onednn {
namespace {

class OnednnBackend : public Backend {
 public:
  OnednnBackend()
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        stopwatch_([stream = stream_]() mutable { stream.wait(); }) {
    // What is in its cache, the library lists a second time.
    dnnl::set_primitive_cache_capacity(0);
  }

  std::string_view name() const override { return "onednn"; }
  System system() const override { return describe_system(); }

  std::vector<Layout> layouts(const Problem& problem) const override {
    return solver_of(problem).layouts;
  }

  std::vector<Algorithm> algorithms(const Problem& problem, Precision precision, Layout layout,
                                    AlgorithmSet set) override {
    return implementations(attempts(problem, precision, layout), set);
  }

  std::unique_ptr<Primitive> create(const Variant& variant) override {
    const Plan plan = implementation(attempts(variant.problem, variant.precision, variant.layout),
                                     variant.algorithm);
    return std::make_unique<PlannedPrimitive>(plan, engine_, stream_,
                                              element_count(output(variant.problem)));
  }

  Stopwatch& stopwatch() override { return stopwatch_; }

 private:
  std::vector<Attempt> attempts(const Problem& problem, Precision precision, Layout layout) {
    const Setting setting(engine_, precision, layout);
    return solver_of(problem).attempts(setting);
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  HostStopwatch stopwatch_;
};

}  // namespace
}  // namespace onednn

std::unique_ptr<Backend> make_onednn_backend() {
  return onednn::checked("engine", [] { return std::make_unique<onednn::OnednnBackend>(); });
}

}  // namespace benanza
