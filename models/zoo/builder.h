#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "models/zoo/attributes.h"

namespace benanza::zoo {

/// The role of a weight in its layer, which determines its values.
enum class Use { kernel, bias, scale, mean, variance, slope };

/// The value of all elements of a weightless model's tensor, chosen so that activations stay finite
/// at any depth: 1 / fan_in for a kernel (every output is then a mean of inputs), 0.5 for
/// everything else. `fan_in`: products summed into one output element.
float constant_value(Use use, std::int64_t fan_in);

/// Random values that depend only on the seed, not on the platform or standard library.
class RandomWeights {
 public:
  explicit RandomWeights(std::uint64_t seed) : engine_(seed) {}

  /// kernel: uniform with the variance 2 / fan_in of He et al. (ICCV 2015). bias, mean: within 0.1
  /// of 0. scale: 0.5 to 1. variance: 0.5 to 1.5, never 0. slope (of PRelu): 0 to 0.3.
  void fill(std::span<float> values, Use use, std::int64_t fan_in);

 private:
  std::mt19937_64 engine_;
};

/// A float tensor of the graph under construction.
struct Tensor {
  std::string name;
  Dims dims;
};

/// The names of a layer's node and its (first) output. A single text names both.
struct LayerName {
  std::string node;
  std::string output;

  LayerName(std::string both) : node(both), output(std::move(both)) {}
  LayerName(const char* both) : LayerName(std::string(both)) {}
  LayerName(std::string node_name, std::string output_name)
      : node(std::move(node_name)), output(std::move(output_name)) {}
};

/// Zero padding before and after an image, the same on both axes.
struct Pads {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A square window sliding over height and width.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  Pads pads = {};
  std::int64_t dilation = 1;
};

struct Conv {
  std::int64_t filters = 0;
  Window window = {};
  std::int64_t groups = 1;
};

/// Names of the weights of a convolution or a dense layer. Without a bias name it has no bias.
struct LinearWeights {
  std::string kernel;
  std::optional<std::string> bias;
};

struct BatchNormWeights {
  std::string scale;
  std::string bias;
  std::string mean;
  std::string variance;
};

struct BatchNorm {
  float epsilon = 1e-5F;
  float momentum = 0.9F;
};

/// x / (bias + alpha / size * sum of squares over `size` channels) ^ beta
struct Lrn {
  std::int64_t size = 5;
  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1;
};

struct BuildOptions {
  std::int64_t batch = 1;
  /// If set: weights are stored as random values from this seed. Otherwise the file is weightless:
  /// every weight is a ConstantOfShape node of constant_value().
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// Builds a model layer by layer. Every layer function computes its output's shape, adds one node,
/// and returns its output. It throws std::logic_error, naming the layer, if the layer does not fit
/// its input: a bug in the zoo, not a user error.
class ModelBuilder {
 public:
  /// ConstantOfShape exists since version 9. Between the originals' versions (7 to 9) and this one,
  /// the only change to an operator of the zoo is that BatchNormalization lost `spatial` (always
  /// 1).
  static constexpr std::int64_t opset = 9;
  /// Initializers need not be inputs since version 4.
  static constexpr std::int64_t ir_version = 7;

  ModelBuilder(const std::string& id, const BuildOptions& options);

  /// The model's input: the batch axis, then `sample`, the extents of one sample.
  Tensor input(const std::string& name, const Dims& sample);
  void output(const Tensor& x);

  Tensor conv(const LayerName& name, const Tensor& x, const Conv& conv,
              const LinearWeights& weights);
  Tensor batch_norm(const LayerName& name, const Tensor& x, const BatchNormWeights& weights,
                    const BatchNorm& parameters = {});
  Tensor relu(const LayerName& name, const Tensor& x);
  Tensor leaky_relu(const LayerName& name, const Tensor& x, float alpha);
  /// `slope` must broadcast to x.
  Tensor prelu(const LayerName& name, const Tensor& x, const Tensor& slope);
  Tensor identity(const LayerName& name, const Tensor& x);
  /// x * scale + bias[channel], an operator of ONNX up to 1.4 that frameworks still support.
  Tensor image_scaler(const LayerName& name, const Tensor& x, float scale,
                      const std::vector<float>& bias);
  Tensor max_pool(const LayerName& name, const Tensor& x, const Window& window);
  /// Excludes padding from the average (ONNX's default).
  Tensor average_pool(const LayerName& name, const Tensor& x, const Window& window);
  Tensor global_average_pool(const LayerName& name, const Tensor& x);
  Tensor lrn(const LayerName& name, const Tensor& x, const Lrn& lrn);
  /// Along the channel axis.
  Tensor concat(const LayerName& name, const std::vector<Tensor>& parts);
  /// b has a's shape or broadcasts to it.
  Tensor add(const LayerName& name, const Tensor& a, const Tensor& b);
  /// b has a's shape or broadcasts to it.
  Tensor multiply(const LayerName& name, const Tensor& a, const Tensor& b);
  /// `mask`: name of the second output, if the original has one.
  Tensor dropout(const LayerName& name, const Tensor& x, float ratio,
                 const std::optional<std::string>& mask = std::nullopt);
  /// Sum of any number of tensors of equal shape.
  Tensor sum(const LayerName& name, const std::vector<Tensor>& terms);
  Tensor subtract(const LayerName& name, const Tensor& a, const Tensor& b);
  Tensor divide(const LayerName& name, const Tensor& a, const Tensor& b);
  /// Reshapes to batch x everything else.
  Tensor flatten(const LayerName& name, const Tensor& x);
  /// ONNX's Reshape: 0 copies an extent of x, one -1 is inferred. `target` is stored in a constant
  /// named `target_name`; it must not contain the batch size, so that the model works for any
  /// batch.
  Tensor reshape(const LayerName& name, const Tensor& x, const std::string& target_name,
                 const Dims& target);
  /// x (batch x features) times the transpose of the kernel (units x features).
  Tensor gemm(const LayerName& name, const Tensor& x, std::int64_t units,
              const LinearWeights& weights);
  /// The same with a kernel (units x features) that is a layer's output.
  Tensor gemm(const LayerName& name, const Tensor& x, const Tensor& kernel,
              const std::string& bias);
  /// x (batch x features) times b (features x units).
  Tensor matmul(const LayerName& name, const Tensor& x, const Tensor& b);
  /// Over all axes after the batch, as before opset 13.
  Tensor softmax(const LayerName& name, const Tensor& x);
  /// Output axis i is input axis order[i].
  Tensor transpose(const LayerName& name, const Tensor& x, const Dims& order);
  /// Inserts axes of extent 1 at `axes`.
  Tensor unsqueeze(const LayerName& name, const Tensor& x, const Dims& axes);

  /// A weight for layers that take tensors. `fan_in`: see constant_value().
  Tensor weight(const std::string& name, const Dims& dims, Use use, std::int64_t fan_in = 1);

  /// Sorts the nodes depth-first from the model's output: the first input of a layer and everything
  /// before it, then the next input, then the layer.
  void order_depth_first();

  /// Number of nodes that are not weights.
  std::int64_t layers() const { return layers_; }
  /// Number of tensors that a framework would call weights, without the constants of Reshape.
  std::int64_t weights() const { return weights_; }
  /// Number of elements of all weights, including the statistics of batch normalization.
  std::int64_t parameters() const { return parameters_; }

  /// Returns the finished model and leaves the builder empty.
  ::onnx::ModelProto take() { return std::move(model_); }

 private:
  ::onnx::NodeProto& add_node(const std::string& op_type, const LayerName& name,
                              const std::vector<std::string>& inputs);
  Tensor elementwise(const std::string& op_type, const LayerName& name, const Tensor& x);
  Tensor binary(const std::string& op_type, const LayerName& name, const Tensor& a,
                const Tensor& b);
  Tensor pool(const std::string& op_type, const LayerName& name, const Tensor& x,
              const Window& window);
  std::string integers(const std::string& name, const Dims& values);

  ::onnx::ModelProto model_;
  std::int64_t batch_;
  std::optional<RandomWeights> random_;
  std::set<std::string> constants_;
  std::int64_t layers_ = 0;
  std::int64_t weights_ = 0;
  std::int64_t parameters_ = 0;
};

}  // namespace benanza::zoo
