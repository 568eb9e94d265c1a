// ArcFace: J. Deng et al., "ArcFace: Additive Angular Margin Loss for Deep Face Recognition", CVPR
// 2019; InsightFace's ResNet-100 from MXNet, whose units normalize first and use PRelu.

#include "models/zoo/gluon.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

constexpr BatchNorm norm = {.epsilon = 2e-5F};

class ArcFace {
 public:
  explicit ArcFace(ModelBuilder& model) : model_(model), net_(model) {}

  void layers() {
    Tensor x = model_.identity("id", model_.input("data", {3, 112, 112}));
    x = model_.subtract("_minusscalar0", x, scalar(Use::mean));
    x = model_.multiply("_mulscalar0", x, scalar(Use::scale));
    x = net_.conv("conv0", x, wide(64, 1));
    x = prelu("relu0", net_.batch_norm("bn0", x, norm));
    constexpr int depths[] = {3, 13, 30, 3};
    for (int stage = 1; stage <= 4; ++stage) {
      const std::int64_t filters = std::int64_t{32} << stage;
      for (int i = 1; i <= depths[stage - 1]; ++i) {
        x = unit("stage" + std::to_string(stage) + "_unit" + std::to_string(i), x, filters, i == 1);
      }
    }
    x = model_.dropout("dropout0", net_.batch_norm("bn1", x, norm), 0.4F);
    // Numbered like the dense layer itself, after its two weights.
    const std::string number = std::to_string(node_index() + 2);
    x = net_.dense("pre_fc1", model_.flatten("flatten_" + number, x), 512);
    model_.output(net_.batch_norm("fc1", x, norm));
  }

 private:
  static Conv wide(std::int64_t filters, std::int64_t stride) {
    return {.filters = filters, .window = {.kernel = 3, .stride = stride, .pads = {1, 1}}};
  }

  /// The next index in MXNet's node list, by which nodes added by the exporter are numbered. The
  /// list has the input, weights and layers, but not the added nodes.
  std::int64_t node_index() const { return 1 + model_.weights() + model_.layers() - added_; }

  /// The operand of an arithmetic layer, which MXNet stores in the layer.
  Tensor scalar(Use use) {
    const std::string name = "scalar_op" + std::to_string(node_index());
    ++added_;
    return model_.weight(name, {1}, use);
  }

  /// One slope per channel, reshaped to broadcast over the image.
  Tensor prelu(const std::string& name, const Tensor& x) {
    const Tensor slopes = model_.weight(name + "_gamma", {x.dims[1]}, Use::slope);
    const std::string number = std::to_string(node_index());
    ++added_;
    const Tensor slope =
        model_.reshape("slope" + number, slopes, "reshape" + number, {1, -1, 1, 1});
    return model_.prelu(name, x, slope);
  }

  /// `halves`: this is the first unit of a stage, which halves the image and projects its shortcut.
  Tensor unit(const std::string& name, const Tensor& x, std::int64_t filters, bool halves) {
    const std::int64_t stride = halves ? 2 : 1;
    Tensor y = net_.batch_norm(name + "_bn1", x, norm);
    y = net_.batch_norm(name + "_bn2", net_.conv(name + "_conv1", y, wide(filters, 1)), norm);
    y = net_.conv(name + "_conv2", prelu(name + "_relu1", y), wide(filters, stride));
    y = net_.batch_norm(name + "_bn3", y, norm);
    Tensor shortcut = x;
    if (halves) {
      const Conv projection = {.filters = filters, .window = {.stride = stride}};
      shortcut = net_.conv(name + "_conv1sc", x, projection);
      shortcut = net_.batch_norm(name + "_sc", shortcut, norm);
    }
    return model_.add("_plus" + std::to_string(sums_++), y, shortcut);
  }

  ModelBuilder& model_;
  Mxnet net_;
  int added_ = 0;
  int sums_ = 0;
};

}  // namespace

std::vector<Model> arcface() {
  return {{"arcface", "ArcFace", [](ModelBuilder& model) { ArcFace(model).layers(); }}};
}

}  // namespace benanza::zoo
