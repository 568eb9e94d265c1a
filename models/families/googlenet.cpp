// GoogLeNet: C. Szegedy et al., "Going Deeper with Convolutions", CVPR 2015. As trained by BVLC for
// Caffe, which rounds pooled extents up; the converter expressed that as end padding. Inception v1
// is the same network from Caffe2, rounding down.

#include "models/zoo/caffe2.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

/// Filters of a module's four branches; `reduce` is the convolution before a wider one.
struct Inception {
  std::string name;
  std::int64_t conv1;
  std::int64_t reduce3, conv3;
  std::int64_t reduce5, conv5;
  std::int64_t projection;
};

Tensor inception(Caffe2& net, const Tensor& x, const Inception& module) {
  const std::string name = "inception_" + module.name + "/";
  const auto conv = [&](const std::string& blob, const Tensor& input, std::int64_t filters,
                        std::int64_t kernel) {
    const std::int64_t pad = kernel / 2;
    return net.conv_relu(name + blob, input,
                         {.filters = filters, .window = {.kernel = kernel, .pads = {pad, pad}}});
  };
  const Tensor a = conv("1x1", x, module.conv1, 1);
  const Tensor b = conv("3x3", conv("3x3_reduce", x, module.reduce3, 1), module.conv3, 3);
  const Tensor c = conv("5x5", conv("5x5_reduce", x, module.reduce5, 1), module.conv5, 5);
  const Tensor pooled = net.max_pool(name + "pool", x, {.kernel = 3, .pads = {1, 1}});
  const Tensor d = conv("pool_proj", pooled, module.projection, 1);
  return net.concat(name + "output", {a, b, c, d});
}

enum class Rounding { up, down };

void googlenet_layers(ModelBuilder& model, Rounding rounding) {
  Caffe2 net(model);
  const Window halve = {.kernel = 3, .stride = 2, .pads = {0, rounding == Rounding::up ? 1 : 0}};
  Tensor x = net.input("data", {3, 224, 224});
  x = net.conv_relu("conv1/7x7_s2", x,
                    {.filters = 64, .window = {.kernel = 7, .stride = 2, .pads = {3, 3}}});
  x = net.max_pool("pool1/3x3_s2", x, halve);
  x = net.lrn("pool1/norm1", x);
  x = net.conv_relu("conv2/3x3_reduce", x, {.filters = 64});
  x = net.conv_relu("conv2/3x3", x, {.filters = 192, .window = {.kernel = 3, .pads = {1, 1}}});
  x = net.lrn("conv2/norm2", x);
  x = net.max_pool("pool2/3x3_s2", x, halve);
  x = inception(net, x, {"3a", 64, 96, 128, 16, 32, 32});
  x = inception(net, x, {"3b", 128, 128, 192, 32, 96, 64});
  x = net.max_pool("pool3/3x3_s2", x, halve);
  x = inception(net, x, {"4a", 192, 96, 208, 16, 48, 64});
  x = inception(net, x, {"4b", 160, 112, 224, 24, 64, 64});
  x = inception(net, x, {"4c", 128, 128, 256, 24, 64, 64});
  x = inception(net, x, {"4d", 112, 144, 288, 32, 64, 64});
  x = inception(net, x, {"4e", 256, 160, 320, 32, 128, 128});
  x = net.max_pool("pool4/3x3_s2", x, halve);
  x = inception(net, x, {"5a", 256, 160, 320, 32, 128, 128});
  x = inception(net, x, {"5b", 384, 192, 384, 48, 128, 128});
  // The images are 7x7 if pools round up, 6x6 if they round down.
  x = net.average_pool("pool5/7x7_s1", x, {.kernel = 7, .pads = {0, 7 - x.dims[2]}});
  x = net.dropout(x, 0.4F);
  x = rounding == Rounding::up ? net.dense("loss3/classifier", x, 1000)
                               : net.dense_4d("loss3/classifier", x, 1000);
  model.output(net.softmax("prob", x));
}

}  // namespace

std::vector<Model> googlenet() {
  return {{"googlenet", "BVLC_GoogleNet",
           [](ModelBuilder& model) { googlenet_layers(model, Rounding::up); }},
          {"inception_v1", "Inception-v1",
           [](ModelBuilder& model) { googlenet_layers(model, Rounding::down); }}};
}

}  // namespace benanza::zoo
