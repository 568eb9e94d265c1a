// Inception v2: S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by
// Reducing Internal Covariate Shift", ICML 2015; trained for Caffe, whose batch normalization is
// two layers and whose pools round up; the converter expressed that as end padding.

#include "models/zoo/caffe2.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr Window halve_up = {.kernel = 3, .stride = 2, .pads = {0, 1}};

Tensor normalized_conv(Caffe2& net, const std::string& blob, const Tensor& x, std::int64_t filters,
                       const Window& window = {}) {
  const Tensor y = net.conv(blob, x, {.filters = filters, .window = window}, /*bias=*/false);
  return net.relu(net.batch_norm_scale(blob + "/bn", blob + "/bn/sc", y));
}

enum class Pool { average, max };

/// Filters of a module's branches; a module that halves the image has no 1x1 branch and no
/// projection after its pool.
struct ReducedInception {
  std::string name;
  std::int64_t conv1;
  std::int64_t reduce3, conv3;
  std::int64_t reduce_double3, double3;
  Pool pool;
  std::int64_t projection;
};

Tensor reduced_inception(Caffe2& net, const Tensor& x, const ReducedInception& module) {
  const std::string name = "inception_" + module.name + "/";
  const bool halves = module.conv1 == 0;
  const Window wide = {.kernel = 3, .pads = {1, 1}};
  const Window last = {.kernel = 3, .stride = halves ? 2 : 1, .pads = {1, 1}};
  std::vector<Tensor> branches;
  if (!halves) {
    branches.push_back(normalized_conv(net, name + "1x1", x, module.conv1));
  }
  Tensor y = normalized_conv(net, name + "3x3_reduce", x, module.reduce3);
  branches.push_back(normalized_conv(net, name + "3x3", y, module.conv3, last));
  y = normalized_conv(net, name + "double3x3_reduce", x, module.reduce_double3);
  y = normalized_conv(net, name + "double3x3a", y, module.double3, wide);
  branches.push_back(normalized_conv(net, name + "double3x3b", y, module.double3, last));
  const Window& window = halves ? halve_up : wide;
  y = module.pool == Pool::max ? net.max_pool(name + "pool", x, window)
                               : net.average_pool(name + "pool", x, window);
  branches.push_back(halves ? y : normalized_conv(net, name + "pool_proj", y, module.projection));
  return net.concat(name + "output", branches);
}

void inception_v2_layers(ModelBuilder& model) {
  Caffe2 net(model);
  Tensor x = net.input("data", {3, 224, 224});
  x = normalized_conv(net, "conv1/7x7_s2", x, 64, {.kernel = 7, .stride = 2, .pads = {3, 3}});
  x = net.max_pool("pool1/3x3_s2", x, halve_up);
  x = normalized_conv(net, "conv2/3x3_reduce", x, 64);
  x = normalized_conv(net, "conv2/3x3", x, 192, {.kernel = 3, .pads = {1, 1}});
  x = net.max_pool("pool2/3x3_s2", x, halve_up);
  x = reduced_inception(net, x, {"3a", 64, 64, 64, 64, 96, Pool::average, 32});
  x = reduced_inception(net, x, {"3b", 64, 64, 96, 64, 96, Pool::average, 64});
  x = reduced_inception(net, x, {"3c", 0, 128, 160, 64, 96, Pool::max, 0});
  x = reduced_inception(net, x, {"4a", 224, 64, 96, 96, 128, Pool::average, 128});
  x = reduced_inception(net, x, {"4b", 192, 96, 128, 96, 128, Pool::average, 128});
  x = reduced_inception(net, x, {"4c", 160, 128, 160, 128, 160, Pool::average, 96});
  x = reduced_inception(net, x, {"4d", 96, 128, 192, 160, 192, Pool::average, 96});
  x = reduced_inception(net, x, {"4e", 0, 128, 192, 192, 256, Pool::max, 0});
  x = reduced_inception(net, x, {"5a", 352, 192, 320, 160, 224, Pool::average, 128});
  x = reduced_inception(net, x, {"5b", 352, 192, 320, 192, 224, Pool::max, 128});
  x = net.average_pool("pool5/7x7_s1", x, {.kernel = 7});
  x = net.dense("loss3/classifier", x, 1000);
  model.output(net.softmax("prob", x));
}

}  // namespace

std::vector<Model> inception_v2() {
  return {{"inception_v2", "Inception-v2", inception_v2_layers}};
}

}  // namespace benanza::zoo
