// AlexNet: A. Krizhevsky, I. Sutskever, G. E. Hinton, "ImageNet Classification with Deep
// Convolutional Neural Networks", NIPS 2012. As trained by BVLC for Caffe; CaffeNet normalizes
// after pooling instead of before, and R-CNN is CaffeNet with 200 classes and no softmax.

#include "models/zoo/caffe2.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr Window halve = {.kernel = 3, .stride = 2};
/// Used where the original rounds up.
constexpr Window halve_up = {.kernel = 3, .stride = 2, .pads = {0, 1}};

Conv conv3(std::int64_t filters, std::int64_t groups) {
  return {.filters = filters, .window = {.kernel = 3, .pads = {1, 1}}, .groups = groups};
}

constexpr Conv first = {.filters = 96, .window = {.kernel = 11, .stride = 4}};
constexpr Conv second = {.filters = 256, .window = {.kernel = 5, .pads = {2, 2}}, .groups = 2};

/// From the third convolution to the last hidden layer.
Tensor tail(Caffe2& net, Tensor x, const Window& last_pool) {
  x = net.conv_relu("conv3", x, conv3(384, 1));
  x = net.conv_relu("conv4", x, conv3(384, 2));
  x = net.conv_relu("conv5", x, conv3(256, 2));
  x = net.max_pool("pool5", x, last_pool);
  x = net.dropout(net.relu(net.dense("fc6", x, 4096)), 0.5F);
  return net.dropout(net.relu(net.dense("fc7", x, 4096)), 0.5F);
}

void alexnet_layers(ModelBuilder& model) {
  Caffe2 net(model);
  Tensor x = net.input("data", {3, 224, 224});
  x = net.lrn("norm1", net.conv_relu("conv1", x, first));
  x = net.max_pool("pool1", x, halve);
  x = net.lrn("norm2", net.conv_relu("conv2", x, second));
  x = net.max_pool("pool2", x, halve);
  x = tail(net, x, halve_up);
  model.output(net.softmax("prob", net.dense("fc8", x, 1000)));
}

Tensor caffenet_hidden(Caffe2& net, Tensor x) {
  x = net.max_pool("pool1", net.conv_relu("conv1", x, first), halve_up);
  x = net.lrn("norm1", x);
  x = net.max_pool("pool2", net.conv_relu("conv2", x, second), halve);
  x = net.lrn("norm2", x);
  return tail(net, x, halve);
}

void caffenet_layers(ModelBuilder& model) {
  Caffe2 net(model);
  const Tensor x = caffenet_hidden(net, net.input("data", {3, 224, 224}));
  model.output(net.softmax("prob", net.dense("fc8", x, 1000)));
}

void rcnn_layers(ModelBuilder& model) {
  Caffe2 net(model);
  const Tensor x = caffenet_hidden(net, net.input("data", {3, 224, 224}));
  model.output(net.dense("fc-rcnn", x, 200));
}

}  // namespace

std::vector<Model> alexnet() {
  return {{"alexnet", "BVLC_AlexNet", alexnet_layers},
          {"caffenet", "BVLC_CaffeNet", caffenet_layers},
          {"rcnn_ilsvrc13", "BVLC_RCNN_ILSVRC13", rcnn_layers}};
}

}  // namespace benanza::zoo
