#include <algorithm>
#include <limits>

#include "suites/example/solvers.h"

namespace benanza::example {
namespace {

class Relu : public harness::Primitive {
 public:
  explicit Relu(std::size_t elements) : output_(elements) {}

  void upload(std::size_t, std::span<const float> values) override {
    input_.assign(values.begin(), values.end());
  }
  void poison_output() override {
    std::fill(output_.begin(), output_.end(), std::numeric_limits<float>::quiet_NaN());
  }
  void run() override {
    std::transform(input_.begin(), input_.end(), output_.begin(),
                   [](float x) { return std::max(x, 0.0F); });
  }
  std::vector<float> download() override { return output_; }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  std::vector<float> input_;
  std::vector<float> output_;
};

}  // namespace

void register_activation(SolverTable& table) {
  table.add(harness::Solver<Library, Activation>{
      .layouts =
          [](const Activation& shape) {
            return shape.kind == ActivationKind::relu ? std::vector{Layout::plain}
                                                      : std::vector<Layout>();
          },
      .algorithms =
          [](Library&, const Activation&, const harness::Variant& prototype,
             harness::AlgorithmSet) {
            if (prototype.precision != Precision::fp32) throw harness::Unsupported("floats only");
            return std::vector<harness::Algorithm>{"loop"};
          },
      .create =
          [](Library&, const Activation& shape, const harness::Variant&) {
            return std::make_unique<Relu>(static_cast<std::size_t>(element_count(shape.input)));
          }});
}

}  // namespace benanza::example
