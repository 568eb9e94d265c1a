#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/training/gradient.h"

namespace benanza::training {

/// Appends the backward layers of a graph's layers to them.
class StepBuilder {
 public:
  /// `layers`: forward, as training runs them.
  explicit StepBuilder(std::vector<LoweredLayer> layers);

  /// Adds a forward layer behind the others, of one call.
  std::size_t add_forward(const std::string& name, const std::string& op, Call call,
                          std::vector<Read> reads);
  /// Is there anything to train in what leads to the layer's results?
  bool is_trained(std::size_t layer) const { return trained_[layer]; }
  /// `gradient` reaches output `output` of a forward layer.
  void reach(std::size_t layer, std::size_t output, Read gradient);
  /// A tensor that the loss makes, of these extents.
  Read given(const Dims& dims);

  /// Goes back through the forward layers.
  void go_back();
  /// The optimizer's layer: calls over all parameters together; `problems` run one after the other.
  void add_update(const std::string& op, const std::vector<Problem>& problems);
  std::int64_t parameters() const;

  std::vector<LoweredLayer> take() { return std::move(layers_); }

 private:
  /// An output of a layer: (layer, output).
  using Place = std::pair<std::size_t, std::size_t>;
  /// What the calls of one forward layer pass back.
  struct LayerGradients {
    std::size_t layer;
    std::vector<bool> call_is_trained;
    std::map<int, std::vector<Read>> of_calls;
    /// The layer that sums for a bias.
    std::optional<std::size_t> bias = {};
  };

  /// Extents of a tensor that a layer reads, where they are known.
  std::optional<Dims> extents(const Read& read) const;
  /// The tensor that a constant is made of by moving its elements alone: a table that one layer
  /// takes rows from and another multiplies by is one parameter.
  std::size_t original(const Read& read) const;
  bool is_trainable(const LoweredLayer& layer, const Call& call, std::size_t operand) const;
  bool is_wanted(const LoweredLayer& layer, const Call& call, std::size_t operand) const;
  std::size_t add_layer(LoweredLayer layer);
  /// One gradient of several that reach the same tensor; `reads` is not empty.
  Read sum(const std::string& name, const Dims& dims, const std::vector<Read>& reads);
  Read made_by(std::size_t layer, std::size_t output);
  void back_through(std::size_t layer);
  void back_through_call(LayerGradients& gradients, int call);
  void add_unsupported(LayerGradients& gradients, int call, const std::string& reason,
                       const Read& arrived);
  void pass(LayerGradients& gradients, int call, int operand, const Read& gradient);
  /// Puts the gradient of a convolution's filters into the layer that sums the same tensor for its
  /// bias, which some libraries do in one call. False if there is none.
  bool join_bias(const LayerGradients& gradients, const GradientCall& filters,
                 const std::vector<Read>& reads);
  Read kept(std::size_t layer, int call, const GradientSource& source, const Read& arrived,
            const std::vector<std::size_t>& made);

  std::vector<LoweredLayer> layers_;
  std::vector<bool> trained_;
  std::map<Place, std::vector<Read>> arrived_;
  /// Elements by the tensor's number: what several layers share is trained once.
  std::map<std::size_t, std::int64_t> parameters_;
  /// The gradients that the update reads.
  std::vector<Read> parameter_gradients_;
  std::map<Place, std::size_t> tensors_;
  std::size_t last_tensor_ = 0;
};

}  // namespace benanza::training
