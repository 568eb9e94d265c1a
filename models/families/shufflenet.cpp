// ShuffleNet: X. Zhang et al., "ShuffleNet: An Extremely Efficient Convolutional Neural Network for
// Mobile Devices", CVPR 2018; from Caffe2, with 4 groups and units as wide inside as outside.

#include "models/zoo/caffe2.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr std::int64_t groups = 4;
constexpr Window halve_padded = {.kernel = 3, .stride = 2, .pads = {1, 1}};

class ShuffleNet {
 public:
  explicit ShuffleNet(ModelBuilder& model) : net_(model, "gpu_0/") {}

  void layers(ModelBuilder& model) {
    Tensor x = net_.input("data", {3, 224, 224});
    x = net_.conv("conv3_0", x, {.filters = 24, .window = halve_padded});
    x = net_.relu(net_.batch_norm("conv3_0_bn", x));
    x = net_.max_pool("pool_0", x, halve_padded);
    std::int64_t channels = 136;
    for (const int units : {4, 8, 4}) {
      x = halving_unit(x, channels);
      for (int i = 1; i < units; ++i) {
        x = unit(x);
      }
      channels *= 2;
    }
    x = net_.average_pool("final_avg", x, {.kernel = 7});
    model.output(net_.softmax("softmax", net_.dense("pred", x, 1000)));
  }

 private:
  /// A grouped 1x1 convolution and its normalization.
  Tensor pointwise(const Tensor& x, std::int64_t filters) {
    const std::string name = "gconv1_" + std::to_string(pointwise_++);
    const Tensor y = net_.conv(name, x, {.filters = filters, .groups = groups}, /*bias=*/false);
    return net_.batch_norm(name + "_bn", y);
  }

  /// Grouped convolution, shuffle, depthwise convolution, grouped convolution.
  Tensor branch(const Tensor& x, std::int64_t filters, std::int64_t stride) {
    const std::string number = std::to_string(unit_);
    Tensor y = net_.relu(pointwise(x, filters));
    y = net_.shuffle("shuffle_" + number, y, groups);
    const std::string name = "gconv3_" + number;
    const Conv depthwise = {.filters = filters,
                            .window = {.kernel = 3, .stride = stride, .pads = {1, 1}},
                            .groups = filters};
    y = net_.batch_norm(name + "_bn", net_.conv(name, y, depthwise, /*bias=*/false));
    return pointwise(y, filters);
  }

  std::string next_block() { return "block" + std::to_string(unit_++); }

  Tensor halving_unit(const Tensor& x, std::int64_t channels) {
    const Tensor y = branch(x, channels - x.dims[1], 2);
    const Tensor pooled = net_.average_pool("pool_" + std::to_string(++pools_), x, halve_padded);
    return net_.relu(net_.concat(next_block(), {y, pooled}));
  }

  Tensor unit(const Tensor& x) {
    const Tensor y = branch(x, x.dims[1], 1);
    return net_.relu(net_.sum(next_block(), {y, x}));
  }

  Caffe2 net_;
  int pointwise_ = 0;
  int unit_ = 0;
  int pools_ = 0;
};

}  // namespace

std::vector<Model> shufflenet() {
  return {
      {"shufflenet", "Shufflenet", [](ModelBuilder& model) { ShuffleNet(model).layers(model); }}};
}

}  // namespace benanza::zoo
