// DenseNet-121: G. Huang et al., "Densely Connected Convolutional Networks", CVPR 2017; trained for
// Caffe, whose batch normalization is two layers: BatchNorm, then Scale in place.

#include "models/zoo/caffe2.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr std::int64_t growth = 32;

Tensor norm_relu(Caffe2& net, const std::string& blob, const Tensor& x) {
  const std::string norm = blob + "/bn";
  return net.relu(net.batch_norm_scale(norm, norm, x));
}

Tensor conv(Caffe2& net, const std::string& blob, const Tensor& x, std::int64_t filters,
            const Window& window = {}) {
  return net.conv(blob, x, {.filters = filters, .window = window}, /*bias=*/false);
}

Tensor dense_layer(Caffe2& net, const std::string& number, const Tensor& x) {
  const std::string name = "conv" + number;
  Tensor y = conv(net, name + "/x1", norm_relu(net, name + "/x1", x), 4 * growth);
  y = norm_relu(net, name + "/x2", y);
  y = conv(net, name + "/x2", y, growth, {.kernel = 3, .pads = {1, 1}});
  return net.concat("concat_" + number, {x, y});
}

void densenet_layers(ModelBuilder& model) {
  Caffe2 net(model);
  Tensor x = net.input("data", {3, 224, 224});
  x = conv(net, "conv1", x, 64, {.kernel = 7, .stride = 2, .pads = {3, 3}});
  x = net.max_pool("pool1", norm_relu(net, "conv1", x), {.kernel = 3, .stride = 2, .pads = {1, 1}});
  constexpr int depths[] = {6, 12, 24, 16};
  for (int block = 2; block <= 5; ++block) {
    const std::string number = std::to_string(block);
    for (int i = 1; i <= depths[block - 2]; ++i) {
      x = dense_layer(net, number + "_" + std::to_string(i), x);
    }
    const std::string transition = "conv" + number + "_blk";
    x = norm_relu(net, transition, x);
    if (block < 5) {
      x = conv(net, transition, x, x.dims[1] / 2);
      x = net.average_pool("pool" + number, x, {.kernel = 2, .stride = 2});
    }
  }
  x = net.global_average_pool("pool5", x);
  model.output(net.conv("fc6", x, {.filters = 1000}));
}

}  // namespace

std::vector<Model> densenet() { return {{"densenet121", "DenseNet-121", densenet_layers}}; }

}  // namespace benanza::zoo
