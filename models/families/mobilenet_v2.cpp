// MobileNet v2: M. Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR
// 2018; from Gluon's model zoo, in the version with Relu activations that halves the image at the
// tenth bottleneck, not at the sixth.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

/// Consecutive equal bottlenecks; the first one has the stride.
struct Group {
  std::int64_t repeats;
  std::int64_t filters;
  std::int64_t stride;
};

Tensor bottleneck(Gluon block, const Tensor& x, std::int64_t expanded, std::int64_t filters,
                  std::int64_t stride, bool shortcut) {
  Tensor y = block.relu(block.batch_norm(block.conv(x, {.filters = expanded}, Bias::no)));
  const Conv depthwise = {.filters = expanded,
                          .window = {.kernel = 3, .stride = stride, .pads = {1, 1}},
                          .groups = expanded};
  y = block.relu(block.batch_norm(block.conv(y, depthwise, Bias::no)));
  y = block.batch_norm(block.conv(y, {.filters = filters}, Bias::no));
  return shortcut ? block.elemwise_add(y, x) : y;
}

void mobilenet_v2_layers(ModelBuilder& model) {
  Gluon net(model, "mobilenetv20_");
  Gluon features = net.scope("features_");
  Tensor x = model.input("data", {3, 224, 224});
  const Window first = {.kernel = 3, .stride = 2, .pads = {1, 1}};
  x = features.conv(x, {.filters = 32, .window = first}, Bias::no);
  x = features.relu(features.batch_norm(x));
  constexpr Group groups[] = {{1, 16, 1}, {2, 24, 2},  {3, 32, 2}, {4, 64, 1},
                              {3, 96, 2}, {3, 160, 2}, {1, 320, 1}};
  int number = 0;
  for (const Group& group : groups) {
    for (std::int64_t i = 0; i < group.repeats; ++i, ++number) {
      const std::int64_t expanded = x.dims[1] * (number == 0 ? 1 : 6);
      x = bottleneck(features.scope("linearbottleneck" + std::to_string(number) + "_"), x, expanded,
                     group.filters, i == 0 ? group.stride : 1, i > 0);
    }
  }
  x = features.conv(x, {.filters = 1280}, Bias::no);
  x = features.relu(features.batch_norm(x));
  x = features.global_average_pool(x);
  Gluon output = net.scope("output_");
  x = output.named_conv("pred", x, {.filters = 1000}, Bias::no);
  model.output(output.flatten(x));
}

}  // namespace

std::vector<Model> mobilenet_v2() {
  return {{"mobilenet_v2", "MobileNet-v2", mobilenet_v2_layers}};
}

}  // namespace benanza::zoo
