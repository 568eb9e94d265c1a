#include "models/zoo/gluon.h"

namespace benanza::zoo {
namespace {

LinearWeights weights_of(const std::string& layer, bool bias) {
  return {.kernel = layer + "_weight",
          .bias = bias ? std::optional(layer + "_bias") : std::nullopt};
}

}  // namespace

std::string Gluon::next(const std::string& kind, int& count) {
  return prefix_ + kind + std::to_string(count++);
}

Tensor Gluon::conv(const Tensor& x, const Conv& conv, Bias bias) {
  return named_conv("conv" + std::to_string(convs_++), x, conv, bias);
}

Tensor Gluon::named_conv(const std::string& own_name, const Tensor& x, const Conv& conv,
                         Bias bias) {
  const std::string name = prefix_ + own_name;
  return model_.conv(name + "_fwd", x, conv, weights_of(name, bias == Bias::yes));
}

Tensor Gluon::batch_norm(const Tensor& x, const BatchNorm& parameters) {
  const std::string name = next("batchnorm", batch_norms_);
  return model_.batch_norm(name + "_fwd", x,
                           {.scale = name + "_gamma",
                            .bias = name + "_beta",
                            .mean = name + "_running_mean",
                            .variance = name + "_running_var"},
                           parameters);
}

Tensor Gluon::plus(const Tensor& a, const Tensor& b) {
  return model_.add(next("_plus", pluses_), a, b);
}

Tensor Gluon::elemwise_add(const Tensor& a, const Tensor& b) {
  return model_.add(next("elemwise_add", adds_), a, b);
}

Tensor Gluon::concat(const std::vector<Tensor>& parts) {
  return model_.concat(next("concat", concats_), parts);
}

Tensor Gluon::max_pool(const Tensor& x, const Window& window) {
  return model_.max_pool(pool_name(), x, window);
}

Tensor Gluon::average_pool(const Tensor& x, const Window& window) {
  return model_.average_pool(pool_name(), x, window);
}

Tensor Gluon::global_average_pool(const Tensor& x) {
  return model_.global_average_pool(pool_name(), x);
}

Tensor Gluon::dropout(const Tensor& x, float ratio) {
  return model_.dropout(next("dropout", dropouts_) + "_fwd", x, ratio);
}

Tensor Gluon::flatten(const Tensor& x) {
  const std::string target = "reshape_attr_tensor" + std::to_string(node_index());
  return model_.reshape(next("flatten", reshapes_) + "_reshape0", x, target, {0, -1});
}

Tensor Gluon::flatten_dense(const Tensor& x, std::int64_t units) {
  // Numbered like the dense layer itself, after its two weights.
  const Tensor flat = model_.flatten("flatten_" + std::to_string(node_index() + 2), x);
  ++flattens_;
  return dense(flat, units);
}

Tensor Gluon::dense(const Tensor& x, std::int64_t units) {
  const std::string name = next("dense", denses_);
  return model_.gemm(name + "_fwd", x, units, weights_of(name, true));
}

Tensor Gluon::dense_relu(const Tensor& x) {
  return model_.relu(prefix_ + "dense" + std::to_string(denses_ - 1) + "_relu_fwd", x);
}

std::vector<Model> resnets(const std::string& version,
                           void (*add_layers)(ModelBuilder& model, const ResNetDepth& depth),
                           const std::vector<ResNetDepth>& depths) {
  std::vector<Model> family;
  for (const ResNetDepth& depth : depths) {
    const std::string number = std::to_string(depth.layers);
    family.push_back({"resnet" + number + '_' + version,
                      "ResNet" + std::string(3 - number.size(), '0') + number + '-' + version,
                      [=](ModelBuilder& model) { add_layers(model, depth); }});
  }
  return family;
}

Tensor resnet_stem(Gluon& net, const Tensor& x) {
  const Window first{.kernel = 7, .stride = 2, .pads = {3, 3}};
  const Tensor y = net.conv(x, {.filters = 64, .window = first}, Bias::no);
  return net.max_pool(net.relu(net.batch_norm(y)), {.kernel = 3, .stride = 2, .pads = {1, 1}});
}

Tensor Mxnet::conv(const std::string& name, const Tensor& x, const Conv& conv, bool bias) {
  return model_.conv(name, x, conv, weights_of(name, bias));
}

Tensor Mxnet::batch_norm(const std::string& name, const Tensor& x, const BatchNorm& parameters) {
  return model_.batch_norm(name, x,
                           {.scale = name + "_gamma",
                            .bias = name + "_beta",
                            .mean = name + "_moving_mean",
                            .variance = name + "_moving_var"},
                           parameters);
}

Tensor Mxnet::dense(const std::string& name, const Tensor& x, std::int64_t units) {
  return model_.gemm(name, x, units, weights_of(name, true));
}

}  // namespace benanza::zoo
