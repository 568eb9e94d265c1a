#include "suites/example/backend.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace benanza::example {
namespace {

class Relu : public Primitive {
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

class HostClock : public Stopwatch {
 public:
  double time(Primitive& primitive, std::int64_t calls) override {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t call = 0; call < calls; ++call) primitive.run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  double time_cold(Primitive& primitive) override { return time(primitive, 1); }
};

class ExampleBackend : public Backend {
 public:
  std::string_view name() const override { return "example"; }
  System system() const override { return {{"example_version", "1"}}; }
  std::vector<Layout> layouts(const Problem& problem) const override {
    if (op(problem) == "relu") return {Layout::plain};
    return {};
  }
  std::vector<Algorithm> algorithms(const Problem&, Precision precision, Layout,
                                    AlgorithmSet) override {
    if (precision != Precision::fp32) throw Unsupported("floats only");
    return {"loop"};
  }
  std::unique_ptr<Primitive> create(const Variant& variant) override {
    return std::make_unique<Relu>(
        static_cast<std::size_t>(element_count(output(variant.problem))));
  }
  Stopwatch& stopwatch() override { return clock_; }

 private:
  HostClock clock_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<ExampleBackend>(); }

}  // namespace benanza::example
