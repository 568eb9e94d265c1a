#pragma once

#include <compare>
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
  /// The optimizer's layer: calls over all parameters together, in fp32 at every precision;
  /// `problems` run one after the other. Before it the gradients are widened, behind it the new
  /// weights narrowed, where the step runs at less.
  void add_update(const std::string& op, const std::vector<Problem>& problems);
  std::int64_t parameters() const;

  std::vector<LoweredLayer> take() { return std::move(layers_); }

 private:
  /// A tensor that a layer makes: one of its outputs or, with `call`, a result of that call which
  /// stays inside of the layer.
  struct Place {
    std::size_t layer = 0;
    std::size_t output = 0;
    std::optional<std::size_t> call = {};
    auto operator<=>(const Place&) const = default;
  };
  /// A result of a forward layer's call.
  struct Result {
    std::size_t call = 0;
    std::size_t part = 0;
    auto operator<=>(const Result&) const = default;
  };
  /// What the calls of one forward layer pass back.
  struct LayerGradients {
    std::size_t layer;
    std::vector<bool> call_is_trained = {};
    std::map<Result, std::vector<Read>> of_results = {};
    /// The layer that sums for a bias.
    std::optional<std::size_t> bias = {};
  };
  /// A forward call whose gradient is wanted.
  struct WayBack {
    std::size_t call;
    std::vector<bool> wanted;
    /// The gradients of its results; of those that none reaches, zeros.
    std::vector<Read> arrived;
    /// The layers that its backward calls are in.
    std::vector<std::size_t> made = {};
  };

  bool is_wanted(const LoweredLayer& layer, const Call& call, std::size_t operand) const;
  /// The same for what other calls of the layer make.
  bool is_wanted(const LayerGradients& gradients, std::size_t call, std::size_t operand) const;
  std::size_t add_layer(LoweredLayer layer);
  /// A layer of the update, over all parameters.
  LoweredLayer update_layer(const std::string& name, const std::string& op,
                            std::vector<Read> reads) const;
  Read add_cast(const std::string& name, const std::string& op, bool widens,
                std::vector<Read> reads);
  /// One gradient of several that reach the same tensor; `reads` is not empty.
  Read sum(const std::string& name, const Dims& dims, const std::vector<Read>& reads);
  Read made_by(const Place& place);

  // back_through.cpp
  void back_through(std::size_t layer);
  /// Gradients of the layer's outputs, by output.
  std::map<std::size_t, Read> reached(std::size_t layer);
  /// Which results of the layer's calls make an output.
  std::vector<Result> makers(std::size_t layer, std::size_t output) const;
  void back_through_call(LayerGradients& gradients, std::size_t call);
  /// One layer for all calls, with another call that does their work.
  void add_together(LayerGradients& gradients, WayBack& way, const Gradient& backward);
  void add_alone(LayerGradients& gradients, WayBack& way, const GradientCall& one);
  LoweredLayer backward_layer(std::size_t forward, const std::string& name) const;
  /// The operands of a backward call as reads of `added`, which may have them for a call before.
  std::vector<Source> operands_of(const LayerGradients& gradients, const WayBack& way,
                                  const GradientCall& one, LoweredLayer& added);
  /// The results of the last call of `added` as its outputs. Returns the index of the first.
  std::size_t add_outputs(LoweredLayer& added);
  void pass_results(LayerGradients& gradients, const WayBack& way, const GradientCall& one,
                    std::size_t layer, std::size_t first);
  void add_unsupported(LayerGradients& gradients, std::optional<std::size_t> call,
                       const std::string& reason, const Read& arrived);
  void pass(LayerGradients& gradients, std::size_t call, std::size_t operand, const Read& gradient);
  /// Puts the gradient of a convolution's filters into the layer that sums the same tensor for its
  /// bias, which some libraries do in one call. False if there is none.
  bool join_bias(const LayerGradients& gradients, const GradientCall& filters,
                 const std::vector<Read>& reads);
  Read kept(const LayerGradients& gradients, const WayBack& way, const GradientSource& source);

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

/// Sets what follows from a layer's calls and reads.
void finish(LoweredLayer& layer);

}  // namespace benanza::training
