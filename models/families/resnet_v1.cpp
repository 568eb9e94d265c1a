// ResNet v1: K. He et al., "Deep Residual Learning for Image Recognition", CVPR 2016; from Gluon's
// model zoo, where a bottleneck's stride is in its first convolution, and its 1x1 convolutions have
// a bias although batch normalization follows.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr Window wide(std::int64_t stride) {
  return {.kernel = 3, .stride = stride, .pads = {1, 1}};
}

/// The shortcut of a block that changes the shape.
Tensor project(Gluon& stage, const Tensor& x, std::int64_t filters, std::int64_t stride) {
  const Conv conv = {.filters = filters, .window = {.stride = stride}};
  return stage.batch_norm(stage.conv(x, conv, Bias::no));
}

Tensor basic_block(Gluon& stage, const Tensor& x, std::int64_t filters, std::int64_t stride,
                   bool projected) {
  Tensor y = stage.conv(x, {.filters = filters, .window = wide(stride)}, Bias::no);
  y = stage.relu(stage.batch_norm(y));
  y = stage.batch_norm(stage.conv(y, {.filters = filters, .window = wide(1)}, Bias::no));
  const Tensor shortcut = projected ? project(stage, x, filters, stride) : x;
  return stage.activation(stage.plus(shortcut, y));
}

Tensor bottleneck_block(Gluon& stage, const Tensor& x, std::int64_t filters, std::int64_t stride,
                        bool projected) {
  const std::int64_t inner = filters / 4;
  Tensor y = stage.conv(x, {.filters = inner, .window = {.stride = stride}}, Bias::yes);
  y = stage.relu(stage.batch_norm(y));
  y = stage.conv(y, {.filters = inner, .window = wide(1)}, Bias::no);
  y = stage.relu(stage.batch_norm(y));
  y = stage.batch_norm(stage.conv(y, {.filters = filters}, Bias::yes));
  const Tensor shortcut = projected ? project(stage, x, filters, stride) : x;
  return stage.activation(stage.plus(y, shortcut));
}

void resnet_v1_layers(ModelBuilder& model, const ResNetDepth& depth) {
  Gluon net(model, "resnetv" + std::to_string(depth.number) + "_");
  Tensor x = resnet_stem(net, model.input("data", {3, 224, 224}));
  for (int i = 0; i < 4; ++i) {
    Gluon stage = net.scope("stage" + std::to_string(i + 1) + "_");
    const std::int64_t filters = (depth.bottleneck ? 256 : 64) << i;
    for (std::int64_t block = 0; block < depth.blocks[i]; ++block) {
      const std::int64_t stride = i > 0 && block == 0 ? 2 : 1;
      const bool projected = block == 0 && x.dims[1] != filters;
      x = depth.bottleneck ? bottleneck_block(stage, x, filters, stride, projected)
                           : basic_block(stage, x, filters, stride, projected);
    }
  }
  model.output(net.flatten_dense(net.global_average_pool(x), 1000));
  // A basic block adds its convolutions to the shortcut, so MXNet lists the shortcut first.
  model.order_depth_first();
}

}  // namespace

std::vector<Model> resnet_v1() {
  return resnets("v1", resnet_v1_layers,
                 {{18, 15, false, {2, 2, 2, 2}},
                  {34, 16, false, {3, 4, 6, 3}},
                  {50, 17, true, {3, 4, 6, 3}},
                  {101, 18, true, {3, 4, 23, 3}},
                  {152, 19, true, {3, 8, 36, 3}}});
}

}  // namespace benanza::zoo
