// SqueezeNet 1.1: F. Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer
// parameters", arXiv:1602.07360, in its later, cheaper version; from Gluon's model zoo.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr Window halve_stride = {.kernel = 3, .stride = 2};

/// Squeezes to few channels, then expands by parallel 1x1 and 3x3 convolutions.
Tensor fire(Gluon& net, const Tensor& x, std::int64_t squeezed, std::int64_t expanded) {
  const Tensor s = net.relu(net.conv(x, {.filters = squeezed}, Bias::yes));
  const Tensor a = net.relu(net.conv(s, {.filters = expanded}, Bias::yes));
  const Window wide = {.kernel = 3, .pads = {1, 1}};
  const Tensor b = net.relu(net.conv(s, {.filters = expanded, .window = wide}, Bias::yes));
  return net.concat({a, b});
}

void squeezenet_layers(ModelBuilder& model) {
  Gluon net(model, "squeezenet0_");
  Tensor x = model.input("data", {3, 224, 224});
  x = net.relu(net.conv(x, {.filters = 64, .window = {.kernel = 3, .stride = 2}}, Bias::yes));
  x = net.max_pool(x, halve_stride);
  x = fire(net, x, 16, 64);
  x = fire(net, x, 16, 64);
  x = net.max_pool(x, halve_stride);
  x = fire(net, x, 32, 128);
  x = fire(net, x, 32, 128);
  x = net.max_pool(x, halve_stride);
  x = fire(net, x, 48, 192);
  x = fire(net, x, 48, 192);
  x = fire(net, x, 64, 256);
  x = fire(net, x, 64, 256);
  x = net.dropout(x, 0.5F);
  x = net.relu(net.conv(x, {.filters = 1000}, Bias::yes));
  x = net.average_pool(x, {.kernel = 13, .stride = 13});
  model.output(net.flatten(x));
}

}  // namespace

std::vector<Model> squeezenet() {
  return {{"squeezenet_v1.1", "Squeezenet-v1.1", squeezenet_layers}};
}

}  // namespace benanza::zoo
