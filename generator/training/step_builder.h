#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/training/gradient.h"
#include "generator/training/trainable.h"

namespace benanza::training {

/// Appends backward layers to a graph's forward layers.
class StepBuilder {
 public:
  /// `layers` are the forward layers as training runs them.
  explicit StepBuilder(std::vector<LoweredLayer> layers);

  /// Appends a forward layer with one call.
  std::size_t add_forward(const std::string& name, const std::string& op, Call call,
                          std::vector<Read> reads);
  /// True if anything on the way to the layer's results is trained.
  bool is_trained(std::size_t layer) const { return trained_[layer]; }
  /// Adds `gradient` to those that reach output `output` of a forward layer.
  void reach(std::size_t layer, std::size_t output, Read gradient);
  /// Returns a new tensor of these extents that no layer makes, such as a gradient of the loss.
  Read given(const Dims& dims);

  /// Adds the backward layers, from the last forward layer to the first.
  void go_back();
  /// Adds the optimizer's layer: calls over all parameters together, in fp32 at every precision;
  /// `problems` run one after the other. If the step runs at a lower precision, the gradients are
  /// widened before it and the new weights narrowed after it.
  /// `kept`: the parameters and the optimizer's state, which are read and written.
  void add_update(const std::string& op, const std::vector<Problem>& problems, const Traffic& kept);
  std::int64_t parameters() const;

  /// The layers that go_back() added for a forward layer, ascending, without sums of gradients.
  std::vector<std::size_t> gradients_of(std::size_t layer) const;

  std::vector<LoweredLayer> take() { return std::move(layers_); }

 private:
  /// A tensor that a layer makes: one of its outputs or, if `call` is set, a result of that call
  /// that stays inside the layer.
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
  /// The gradients of one forward layer's calls.
  struct LayerGradients {
    std::size_t layer;
    std::vector<bool> call_is_trained = {};
    std::map<Result, std::vector<Read>> of_results = {};
    /// The layer that sums the gradient of a bias.
    std::optional<std::size_t> bias = {};
  };
  /// A forward call whose gradient is wanted.
  struct WayBack {
    std::size_t call;
    std::vector<bool> wanted;
    /// The gradients of its results; zeros for results that no gradient reaches.
    std::vector<Read> arrived;
    /// The layers that contain its backward calls.
    std::vector<std::size_t> made = {};
  };

  bool is_wanted(const LoweredLayer& layer, const Call& call, std::size_t operand) const;
  /// The same for results of the layer's other calls.
  bool is_wanted(const LayerGradients& gradients, std::size_t call, std::size_t operand) const;
  std::size_t add_layer(LoweredLayer layer);
  /// A layer of the update, over all parameters.
  LoweredLayer update_layer(const std::string& name, const std::string& op,
                            std::vector<Read> reads) const;
  Read add_cast(const std::string& name, const std::string& op, bool widens,
                std::vector<Read> reads);
  /// Sums the gradients that reach the same tensor; `reads` must not be empty.
  Read sum(const std::string& name, const Dims& dims, const std::vector<Read>& reads);
  Read made_by(const Place& place);

  // back_through.cpp
  void back_through(std::size_t layer);
  /// The gradients of the layer's outputs, by output.
  std::map<std::size_t, Read> reached(std::size_t layer);
  /// Which results of the layer's calls make an output.
  std::vector<Result> makers(std::size_t layer, std::size_t output) const;
  void back_through_call(LayerGradients& gradients, std::size_t call);
  /// Adds one layer for all calls and the single call that does their work.
  void add_together(LayerGradients& gradients, WayBack& way, const Gradient& backward);
  void add_alone(LayerGradients& gradients, WayBack& way, const GradientCall& one);
  LoweredLayer backward_layer(std::size_t forward, const std::string& name) const;
  /// Adds the operands of a backward call to the reads of `added`, reusing those of its earlier
  /// calls.
  std::vector<Source> operands_of(const LayerGradients& gradients, const WayBack& way,
                                  const GradientCall& one, LoweredLayer& added);
  /// Makes the results of the last call of `added` its outputs. Returns the index of the first.
  std::size_t add_outputs(LoweredLayer& added);
  void pass_results(LayerGradients& gradients, const WayBack& way, const GradientCall& one,
                    std::size_t layer, std::size_t first);
  void add_unsupported(LayerGradients& gradients, std::optional<std::size_t> call,
                       const std::string& reason, const Read& arrived);
  void pass(LayerGradients& gradients, std::size_t call, std::size_t operand, const Read& gradient);
  /// Moves a convolution's filter gradient into the layer that sums the same tensor for its bias,
  /// because some libraries do both in one call. Returns false if there is no such layer.
  bool join_bias(const LayerGradients& gradients, const GradientCall& filters,
                 const std::vector<Read>& reads);
  Read kept(const LayerGradients& gradients, const WayBack& way, const GradientSource& source);

  // parameters.cpp
  /// The gradient of a parameter, where it is complete so far.
  struct Trained {
    Dims dims;
    Read gradient;
    std::int64_t elements() const { return element_count(dims); }
  };
  /// Takes the gradient of a trained operand of a call of layer `forward`. A parameter that several
  /// calls read gets the sum of their gradients, complete after the last of them.
  void arrive(std::size_t forward, const Call& call, std::size_t operand, Read gradient);
  /// The gradient of the parameter that a constant operand is made of.
  Read through_forms(std::size_t forward, const Dims& seen, const Read& operand, const Origin& from,
                     Read gradient);
  /// Adds a backward layer of one call that reads `gradient`.
  Read add_form(std::size_t forward, Problem problem, const Dims& dims, const Read& gradient);
  std::string unused_name(const std::string& wanted) const;

  std::vector<LoweredLayer> layers_;
  std::vector<bool> trained_;
  std::map<Place, std::vector<Read>> arrived_;
  /// In the order in which their first gradients arrive.
  std::vector<Trained> parameters_;
  /// Indices into parameters_ by tensor number: a tensor that several layers share is trained once.
  std::map<std::size_t, std::size_t> parameter_of_;
  /// By forward layer; see gradients_of().
  std::map<std::size_t, std::vector<std::size_t>> gradients_;
  std::map<Place, std::size_t> tensors_;
  std::size_t last_tensor_ = 0;
};

/// Sets the fields derived from a layer's calls and reads.
void finish(LoweredLayer& layer);

}  // namespace benanza::training
