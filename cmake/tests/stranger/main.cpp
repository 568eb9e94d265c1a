// bench_loops: a suite for a "library" that consists of one loop: ReLU on one thread. It refuses
// everything else a model needs, with its own message.

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "suites/harness/measure/host_stopwatch.h"
#include "suites/harness/program/bench_main.h"
#include "suites/harness/registration.h"
#include "suites/verify/verification_cases.h"

namespace {

using namespace benanza;

class ReluLoop final : public harness::Primitive {
 public:
  explicit ReluLoop(const Problem& problem)
      : output_(static_cast<std::size_t>(element_count(output(problem)))) {}

  void upload(std::size_t, std::span<const float> values) override {
    input_.assign(values.begin(), values.end());
  }
  void poison_output() override {
    std::ranges::fill(output_, std::numeric_limits<float>::quiet_NaN());
  }
  void run() override {
    std::ranges::transform(input_, output_.begin(), [](float x) { return std::max(x, 0.0F); });
  }
  std::vector<float> download() override { return output_; }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  std::vector<float> input_;
  std::vector<float> output_;
};

class Loops final : public harness::Backend {
 public:
  std::string_view name() const override { return "loops"; }
  std::vector<LibraryVersion> libraries() const override { return {{"loops", "1.0"}}; }
  std::vector<std::string> devices() const override { return {"0: this processor"}; }
  System system() override { return {{"loops_version", "1.0"}}; }
  std::vector<Layout> layouts(const Problem&) const override { return {Layout::plain}; }
  std::vector<harness::Way> ways(const harness::Variant& prototype,
                                 harness::AlgorithmSet) override {
    if (op(prototype.problem) != "relu" || prototype.precision != Precision::fp32) {
      throw harness::Unsupported("loops has no " + std::string(op(prototype.problem)));
    }
    return {way(prototype)};
  }
  harness::Way way(const harness::Variant& variant) override {
    return {.name = "loop", .make = [problem = variant.problem](harness::Operands&) {
              return std::make_unique<ReluLoop>(problem);
            }};
  }
  harness::Allocator& allocator() override { return allocator_; }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }

 private:
  harness::HostAllocator allocator_;
  harness::HostStopwatch stopwatch_;
};

}  // namespace

int main(int argc, char** argv) {
  Loops loops;
  return harness::bench_main(argc, argv, loops, registration(), verify::verifier());
}
