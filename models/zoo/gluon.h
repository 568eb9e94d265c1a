#pragma once

#include <string>
#include <vector>

#include "models/zoo/builder.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {

enum class Bias { no, yes };

/// Names layers as MXNet's Gluon does: a prefix, the kind of layer, and its number among the layers
/// of that kind under that prefix. Weights are named after their layer.
class Gluon {
 public:
  /// `builder` must outlive this.
  Gluon(ModelBuilder& builder, std::string prefix) : model_(builder), prefix_(std::move(prefix)) {}

  /// Layers under "PREFIX + inner", numbered from 0.
  Gluon scope(const std::string& inner) const { return {model_, prefix_ + inner}; }

  Tensor conv(const Tensor& x, const Conv& conv, Bias bias);
  /// A convolution with its own name instead of a number.
  Tensor named_conv(const std::string& name, const Tensor& x, const Conv& conv, Bias bias);
  Tensor batch_norm(const Tensor& x, const BatchNorm& parameters = {});
  Tensor relu(const Tensor& x) { return model_.relu(next("relu", relus_) + "_fwd", x); }
  /// A Relu that the model calls as a function, without "_fwd" in its name.
  Tensor activation(const Tensor& x) { return model_.relu(next("activation", activations_), x); }
  Tensor plus(const Tensor& a, const Tensor& b);
  /// Like plus(), if the model calls the addition by its name.
  Tensor elemwise_add(const Tensor& a, const Tensor& b);
  Tensor concat(const std::vector<Tensor>& parts);
  Tensor max_pool(const Tensor& x, const Window& window);
  Tensor average_pool(const Tensor& x, const Window& window);
  Tensor global_average_pool(const Tensor& x);
  Tensor dropout(const Tensor& x, float ratio);
  /// Reshapes to batch x everything else.
  Tensor flatten(const Tensor& x);
  /// The Flatten added by the exporter, then a Gemm.
  Tensor flatten_dense(const Tensor& x, std::int64_t units);
  /// Only a Gemm.
  Tensor dense(const Tensor& x, std::int64_t units);
  /// The Relu after a dense layer.
  Tensor dense_relu(const Tensor& x);

 private:
  /// "PREFIX KIND N"; increments N.
  std::string next(const std::string& kind, int& count);
  std::string pool_name() { return next("pool", pools_) + "_fwd"; }
  /// The next index in MXNet's node list: inputs, weights and layers, without Flattens added by the
  /// exporter. Tensors that the exporter adds are numbered by it.
  std::int64_t node_index() const { return 1 + model_.weights() + model_.layers() - flattens_; }

  ModelBuilder& model_;
  std::string prefix_;
  int convs_ = 0;
  int batch_norms_ = 0;
  int relus_ = 0;
  int activations_ = 0;
  int pluses_ = 0;
  int adds_ = 0;
  int concats_ = 0;
  int pools_ = 0;
  int dropouts_ = 0;
  int reshapes_ = 0;
  int denses_ = 0;
  int flattens_ = 0;
};

/// A ResNet of Gluon's model zoo.
struct ResNetDepth {
  int layers;
  /// Gluon's number for the network, part of every name.
  int number;
  bool bottleneck;
  /// Blocks in each of the four stages.
  std::int64_t blocks[4];
};
/// "resnet50_v1" of version "v1", and the other depths.
std::vector<Model> resnets(const std::string& version,
                           void (*add_layers)(ModelBuilder& model, const ResNetDepth& depth),
                           const std::vector<ResNetDepth>& depths);
/// What comes before the stages.
Tensor resnet_stem(Gluon& net, const Tensor& x);

/// Names layers as MXNet's symbols do: node and output have the name that the model's author gave;
/// weights are named after their layer, NAME_weight or NAME_gamma.
class Mxnet {
 public:
  /// `builder` must outlive this.
  explicit Mxnet(ModelBuilder& builder) : model_(builder) {}

  Tensor conv(const std::string& name, const Tensor& x, const Conv& conv, bool bias = false);
  Tensor batch_norm(const std::string& name, const Tensor& x, const BatchNorm& parameters);
  Tensor dense(const std::string& name, const Tensor& x, std::int64_t units);

 private:
  ModelBuilder& model_;
};

}  // namespace benanza::zoo
