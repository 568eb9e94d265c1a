#include <algorithm>
#include <limits>
#include <span>

#include "suites/example/ways.h"

namespace benanza::example {
namespace {

class Relu : public harness::Primitive {
 public:
  Relu(std::size_t elements, harness::Operands& places)
      : input_(tensor(places.operand(0, bytes(elements)), elements)),
        output_(tensor(places.result(0, bytes(elements)), elements)) {}

  void upload(std::size_t, std::span<const float> values) override {
    std::ranges::copy(values, input_.begin());
  }
  void poison_output() override {
    std::ranges::fill(output_, std::numeric_limits<float>::quiet_NaN());
  }
  void run() override {
    std::ranges::transform(input_, output_.begin(), [](float x) { return std::max(x, 0.0F); });
  }
  std::vector<float> download() override { return {output_.begin(), output_.end()}; }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  static std::int64_t bytes(std::size_t elements) {
    return static_cast<std::int64_t>(elements * sizeof(float));
  }
  static std::span<float> tensor(std::byte* place, std::size_t elements) {
    return {reinterpret_cast<float*>(place), elements};
  }

  std::span<float> input_;
  std::span<float> output_;
};

}  // namespace

void register_activation(WayTable& table) {
  table.add(harness::Family<Library, Activation>{
      .layouts =
          [](const Activation& shape) {
            return shape.kind == ActivationKind::relu ? std::vector{Layout::plain}
                                                      : std::vector<Layout>();
          },
      .ways = [](Library&, const Activation& shape, const harness::Variant& prototype,
                 harness::AlgorithmSet) -> std::vector<harness::Way> {
        if (prototype.precision != Precision::fp32) throw harness::Unsupported("floats only");
        const auto elements = static_cast<std::size_t>(element_count(shape.input));
        return {{.name = "loop", .make = [elements](harness::Operands& places) {
                   return std::make_unique<Relu>(elements, places);
                 }}};
      }});
}

}  // namespace benanza::example
