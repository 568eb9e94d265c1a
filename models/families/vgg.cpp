// VGG: K. Simonyan, A. Zisserman, "Very Deep Convolutional Networks for Large-Scale Image
// Recognition", ICLR 2015; from Gluon's model zoo, with and without batch normalization.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

struct VggDepth {
  int layers;
  /// Convolutions in each of the five stages.
  int convs[5];
};

void vgg_layers(ModelBuilder& model, const VggDepth& depth, bool batch_norm) {
  Gluon net(model, "vgg0_");
  Tensor x = model.input("data", {3, 224, 224});
  constexpr std::int64_t filters[] = {64, 128, 256, 512, 512};
  for (int stage = 0; stage < 5; ++stage) {
    for (int i = 0; i < depth.convs[stage]; ++i) {
      const Window window = {.kernel = 3, .pads = {1, 1}};
      x = net.conv(x, {.filters = filters[stage], .window = window}, Bias::yes);
      x = net.relu(batch_norm ? net.batch_norm(x) : x);
    }
    x = net.max_pool(x, {.kernel = 2, .stride = 2});
  }
  for (int i = 0; i < 2; ++i) {
    x = net.dropout(net.dense_relu(net.flatten_dense(x, 4096)), 0.5F);
  }
  model.output(net.flatten_dense(x, 1000));
}

}  // namespace

std::vector<Model> vgg() {
  std::vector<Model> family;
  for (const VggDepth& depth : {VggDepth{16, {2, 2, 3, 3, 3}}, VggDepth{19, {2, 2, 4, 4, 4}}}) {
    const std::string number = std::to_string(depth.layers);
    family.push_back({"vgg" + number, "VGG" + number,
                      [depth](ModelBuilder& model) { vgg_layers(model, depth, false); }});
    family.push_back({"vgg" + number + "_bn", "VGG" + number + "-BN",
                      [depth](ModelBuilder& model) { vgg_layers(model, depth, true); }});
  }
  return family;
}

}  // namespace benanza::zoo
