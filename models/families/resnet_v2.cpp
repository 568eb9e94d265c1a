// ResNet v2: K. He et al., "Identity Mappings in Deep Residual Networks", ECCV 2016; from Gluon's
// model zoo. Normalization and activation come before a block's convolutions; the model's input is
// normalized, too.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

Tensor conv1x1(Gluon& stage, const Tensor& x, std::int64_t filters, std::int64_t stride = 1) {
  return stage.conv(x, {.filters = filters, .window = {.stride = stride}}, Bias::no);
}

Tensor conv3x3(Gluon& stage, const Tensor& x, std::int64_t filters, std::int64_t stride = 1) {
  const Window window = {.kernel = 3, .stride = stride, .pads = {1, 1}};
  return stage.conv(x, {.filters = filters, .window = window}, Bias::no);
}

/// The shortcut branches off before normalization, unless it is projected to another shape.
Tensor block(Gluon& stage, const Tensor& x, std::int64_t filters, std::int64_t stride,
             bool bottleneck) {
  const auto activate = [&](const Tensor& t) { return stage.activation(stage.batch_norm(t)); };
  const bool projected = stride != 1 || x.dims[1] != filters;
  const Tensor activated = activate(x);
  Tensor y;
  if (bottleneck) {
    y = activate(conv1x1(stage, activated, filters / 4));
    y = activate(conv3x3(stage, y, filters / 4, stride));
    y = conv1x1(stage, y, filters);
  } else {
    y = activate(conv3x3(stage, activated, filters, stride));
    y = conv3x3(stage, y, filters);
  }
  return stage.plus(y, projected ? conv1x1(stage, activated, filters, stride) : x);
}

void resnet_v2_layers(ModelBuilder& model, const ResNetDepth& depth) {
  Gluon net(model, "resnetv" + std::to_string(depth.number) + "_");
  Tensor x = resnet_stem(net, net.batch_norm(model.input("data", {3, 224, 224})));
  for (int i = 0; i < 4; ++i) {
    Gluon stage = net.scope("stage" + std::to_string(i + 1) + "_");
    const std::int64_t filters = (depth.bottleneck ? 256 : 64) << i;
    for (std::int64_t n = 0; n < depth.blocks[i]; ++n) {
      x = block(stage, x, filters, i > 0 && n == 0 ? 2 : 1, depth.bottleneck);
    }
  }
  x = net.global_average_pool(net.relu(net.batch_norm(x)));
  model.output(net.dense(net.flatten(x), 1000));
}

}  // namespace

std::vector<Model> resnet_v2() {
  return resnets("v2", resnet_v2_layers,
                 {{18, 22, false, {2, 2, 2, 2}},
                  {34, 23, false, {3, 4, 6, 3}},
                  {50, 24, true, {3, 4, 6, 3}},
                  {101, 25, true, {3, 4, 23, 3}},
                  {152, 27, true, {3, 8, 36, 3}}});
}

}  // namespace benanza::zoo
