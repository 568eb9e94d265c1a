// Tiny YOLO v2: J. Redmon, A. Farhadi, "YOLO9000: Better, Faster, Stronger", CVPR 2017; converted
// from Core ML. Its last pool has stride 1 and end padding, so that the grid stays 13x13.

#include <algorithm>

#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

/// The converter's suffixes of names: "", "1", "2", ...
std::string counted(const std::string& name, int i) {
  return i == 0 ? name : name + std::to_string(i);
}

/// Outputs are numbered from 1 and have Keras' names.
LayerName named(const std::string& node, const std::string& output, int i) {
  return {counted(node, i), output + "_" + std::to_string(i + 1) + "_output"};
}

Tensor block(ModelBuilder& model, int i, const Tensor& x, std::int64_t filters) {
  const Conv conv = {.filters = filters, .window = {.kernel = 3, .pads = {1, 1}}};
  Tensor y = model.conv(named("convolution", "convolution2d", i), x, conv,
                        {.kernel = counted("convolution", i) + "_W", .bias = std::nullopt});
  y = model.batch_norm(named("batchnorm", "batchnormalization", i), y,
                       {.scale = counted("BatchNormalization_scale", i),
                        .bias = counted("BatchNormalization_B", i),
                        .mean = counted("BatchNormalization_mean", i),
                        .variance = counted("BatchNormalization_variance", i)});
  return model.leaky_relu(named("activation", "leakyrelu", i), y, 0.1F);
}

void tiny_yolo_layers(ModelBuilder& model) {
  Tensor x = model.input("image", {3, 416, 416});
  x = model.image_scaler({"scalerPreprocessor", "image2"}, x, 1.0F / 255, {0, 0, 0});
  for (int i = 0; i < 8; ++i) {
    x = block(model, i, x, std::min(std::int64_t{16} << i, std::int64_t{1024}));
    if (i < 6) {
      const Window window = i < 5 ? Window{.kernel = 2, .stride = 2}
                                  : Window{.kernel = 2, .stride = 1, .pads = {0, 1}};
      x = model.max_pool(named("pooling", "maxpooling2d", i), x, window);
    }
  }
  model.output(model.conv({"convolution8", "grid"}, x, {.filters = 125},
                          {.kernel = "convolution8_W", .bias = "convolution8_B"}));
}

}  // namespace

std::vector<Model> tiny_yolo() { return {{"tiny_yolo_v2", "Tiny_YOLO-v2", tiny_yolo_layers}}; }

}  // namespace benanza::zoo
