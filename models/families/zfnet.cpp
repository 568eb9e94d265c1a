// ZFNet-512: M. D. Zeiler, R. Fergus, "Visualizing and Understanding Convolutional Networks", ECCV
// 2014, with 512 filters in its last convolutions; from Caffe2.

#include "models/zoo/caffe2.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr Window halve = {.kernel = 3, .stride = 2};

void zfnet_layers(ModelBuilder& model) {
  Caffe2 net(model, "gpu_0/");
  Tensor x = net.input("data", {3, 224, 224});
  x = net.conv_relu("conv1", x, {.filters = 96, .window = {.kernel = 7, .stride = 2}});
  x = net.max_pool("pool1", net.lrn("norm1", x), halve);
  x = net.conv_relu("conv2", x, {.filters = 256, .window = {.kernel = 5, .stride = 2}});
  x = net.max_pool("pool2", net.lrn("norm2", x), halve);
  for (const char* name : {"conv3", "conv4", "conv5"}) {
    x = net.conv_relu(name, x, {.filters = 512, .window = {.kernel = 3, .pads = {1, 1}}});
  }
  x = net.max_pool("pool5", x, {.kernel = 3, .stride = 2, .pads = {0, 1}});
  x = net.relu(net.dense("fc6", x, 4096));
  x = net.relu(net.dense("fc7", x, 1024));
  model.output(net.softmax("softmax", net.dense("fc8", "pred", x, 1000)));
}

}  // namespace

std::vector<Model> zfnet() { return {{"zfnet512", "Zfnet512", zfnet_layers}}; }

}  // namespace benanza::zoo
