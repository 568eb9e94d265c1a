// MNIST: the convolutional network of CNTK's tutorial for handwritten digits.

#include "models/zoo/cntk.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

Conv conv5(std::int64_t filters) {
  return {.filters = filters, .window = {.kernel = 5, .pads = {2, 2}}};
}

void mnist_layers(ModelBuilder& model) {
  Cntk net(model);
  Tensor x = model.input("Input3", {1, 28, 28});
  const Tensor kernel = net.image_kernel(212, 193, {16, 4, 4}, 10);
  x = net.conv_relu(28, 5, x, conv5(8));
  x = net.max_pool(66, x, {.kernel = 2, .stride = 2});
  x = net.conv_relu(110, 87, x, conv5(16));
  x = net.max_pool(160, x, {.kernel = 3, .stride = 3});
  model.output(net.plus(214, net.times(212, x, kernel), 194, {1, 10}));
}

}  // namespace

std::vector<Model> mnist() { return {{"mnist", "MNIST", mnist_layers}}; }

}  // namespace benanza::zoo
