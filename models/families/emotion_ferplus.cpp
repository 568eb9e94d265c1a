// Emotion FER+: E. Barsoum et al., "Training Deep Networks for Facial Expression Recognition with
// Crowd-Sourced Label Distribution", ICMI 2016; from CNTK.

#include "models/zoo/cntk.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

/// Consecutive convolutions, then a pool that halves the image, and a dropout.
struct Block {
  std::int64_t filters;
  /// Number of the first convolution; the others follow in steps of 18.
  int number;
  /// Numbers of the kernels.
  std::vector<int> parameters;
};

void emotion_ferplus_layers(ModelBuilder& model) {
  Cntk net(model);
  Tensor x = model.input("Input3", {1, 64, 64});
  const Tensor first_kernel = net.image_kernel(622, 1367, {256, 4, 4}, 1024);
  x = net.over(352, net.minus(340, x, 339), 343);
  const Block blocks[] = {{64, 362, {3, 23}},
                          {128, 418, {63, 83}},
                          {256, 474, {575, 595, 615}},
                          {256, 548, {655, 675, 695}}};
  for (const Block& block : blocks) {
    int number = block.number;
    for (const int parameter : block.parameters) {
      const Window window = {.kernel = 3, .pads = {1, 1}};
      x = net.conv_relu(number, parameter, x, {.filters = block.filters, .window = window});
      number += 18;
    }
    x = net.max_pool(number, x, {.kernel = 2, .stride = 2});
    x = net.dropout(number + 10, x, 0.25F);
  }
  x = net.plus(624, net.times(622, x, first_kernel), 1368, {1024});
  x = net.dropout(646, net.relu(636, x), 0.5F);
  x = net.plus(658, net.times(656, x, net.kernel(1403, 1024, 1024)), 1404, {1024});
  x = net.dropout(680, net.relu(670, x), 0.5F);
  x = net.times(690, x, net.kernel(1693, 1024, 8));
  model.output(net.plus(692, x, 1694, {8}));
}

}  // namespace

std::vector<Model> emotion_ferplus() {
  return {{"emotion_ferplus", "Emotion-FerPlus", emotion_ferplus_layers}};
}

}  // namespace benanza::zoo
