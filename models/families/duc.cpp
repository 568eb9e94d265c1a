// DUC: P. Wang et al., "Understanding Convolution for Semantic Segmentation", WACV 2018: a
// ResNet-101 that stops halving the image at 1/8 and dilates its kernels instead, in the paper's
// hybrid pattern; then 16 scores per class and pixel, which form an image of half the input's size.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr std::int64_t classes = 19;
/// Scores per class and pixel: the image is enlarged fourfold on both axes.
constexpr std::int64_t upsampling = 4 * 4;

struct Stage {
  int number;
  int units;
  std::int64_t stride;
  /// Dilations of the 3x3 convolutions, repeated cyclically.
  std::vector<std::int64_t> dilations;
};

Conv dilated(std::int64_t filters, std::int64_t dilation) {
  return {.filters = filters,
          .window = {.kernel = 3, .pads = {dilation, dilation}, .dilation = dilation}};
}

class Duc {
 public:
  explicit Duc(ModelBuilder& model) : model_(model), net_(model) {}

  void layers() {
    Tensor x = model_.input("data", {3, 800, 800});
    const Conv halving = {.filters = 64, .window = {.kernel = 3, .stride = 2, .pads = {1, 1}}};
    x = conv_relu("conv1_1_3x3_s2", x, halving);
    x = conv_relu("conv1_2_3x3", x, dilated(64, 1));
    x = conv_relu("conv1_3_3x3", x, dilated(128, 1));
    x = model_.max_pool("pool1_3x3_s2", x, {.kernel = 3, .stride = 2});
    const Stage stages[] = {
        {2, 3, 1, {1}}, {3, 4, 2, {1}}, {4, 23, 1, {1, 2, 5, 9}}, {5, 3, 1, {5, 9, 17}}};
    for (const Stage& stage : stages) {
      for (int i = 0; i < stage.units; ++i) {
        const std::string name =
            "conv" + std::to_string(stage.number) + "_" + std::to_string(i + 1);
        const std::int64_t dilation =
            stage.dilations[static_cast<std::size_t>(i) % stage.dilations.size()];
        x = unit(name, x, std::int64_t{64} << stage.number, i == 0 ? stage.stride : 1, dilation,
                 i == 0);
      }
    }
    std::vector<Tensor> scores;
    for (const std::int64_t dilation : {6, 12, 18, 24}) {
      const std::string name = "fc1_cityscapes_c" + std::to_string(scores.size());
      scores.push_back(net_.conv(name, x, dilated(classes * upsampling, dilation), /*bias=*/true));
    }
    x = model_.sum("fc1_cityscapes", scores);
    x = model_.reshape("cls_score_reshape", x, "reshape_attr_tensor892", {0, classes, -1});
    model_.output(model_.softmax("seg_loss", x));
  }

 private:
  Tensor conv(const std::string& name, const Tensor& x, const Conv& conv) {
    return net_.batch_norm(name + "/bn", net_.conv(name, x, conv), {});
  }

  Tensor conv_relu(const std::string& name, const Tensor& x, const Conv& parameters) {
    return model_.relu(name + "/relu", conv(name, x, parameters));
  }

  /// A bottleneck with its stride in the first convolution. `projects`: the shortcut is projected
  /// to the new shape and is the addition's second operand, otherwise the first.
  Tensor unit(const std::string& name, const Tensor& x, std::int64_t filters, std::int64_t stride,
              std::int64_t dilation, bool projects) {
    const Window window = {.stride = stride};
    Tensor y = conv_relu(name + "_1x1_reduce", x, {.filters = filters / 4, .window = window});
    y = conv_relu(name + "_3x3", y, dilated(filters / 4, dilation));
    y = conv(name + "_1x1_increase", y, {.filters = filters});
    const Tensor sum =
        projects ? model_.add(name, y,
                              conv(name + "_1x1_proj", x, {.filters = filters, .window = window}))
                 : model_.add(name, x, y);
    return model_.relu(name + "_relu", sum);
  }

  ModelBuilder& model_;
  Mxnet net_;
};

}  // namespace

std::vector<Model> duc() {
  return {{"duc", "DUC", [](ModelBuilder& model) { Duc(model).layers(); }}};
}

}  // namespace benanza::zoo
