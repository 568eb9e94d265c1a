#pragma once

#include <optional>
#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// Who reads what, for calls that take over the work of the layers behind them.
class Flow {
 public:
  /// `layers` outlives the flow.
  explicit Flow(const std::vector<LoweredLayer>& layers);

  const LoweredLayer& layer(std::size_t index) const { return (*layers_)[index]; }
  const std::vector<LoweredLayer>& layers() const { return *layers_; }
  std::size_t size() const { return layers_->size(); }

  /// The only reader of the layer's only result, which reads it once; empty if there is another
  /// reader, the caller of the model included.
  std::optional<std::size_t> reader(std::size_t index) const;
  /// True if layer `index` only passes on what it reads first: by another name, with other extents,
  /// or as another floating type, which calls convert as they read and write.
  bool passes_on(std::size_t index) const;
  /// What operand `source` of a call of layer `index` reads; null if it is no input of the layer.
  const Read* read(std::size_t index, const Source& source) const;
  /// True if operand `source` of a call of layer `index` is known when the model is loaded.
  bool is_constant(std::size_t index, const Source& source) const;
  /// True if operand `source` of a call of layer `index` is the result of layer `producer`.
  bool comes_from(std::size_t index, const Source& source, std::size_t producer) const;
  /// True if nobody needs operand `source` of a call of layer `index` for anything else once layer
  /// `start` begins, so that the call may write over it: it was made by a layer, the caller of the
  /// model does not ask for it, and who else reads it works before `start` in any order of layers.
  bool may_be_overwritten(std::size_t index, const Source& source, std::size_t start) const;

 private:
  /// A layer without work whose result is its first input's memory.
  bool is_view(std::size_t index) const;
  /// For every layer, whether `index` waits for it.
  std::vector<bool> layers_before(std::size_t index) const;

  const std::vector<LoweredLayer>* layers_;
  /// The last reader seen of every layer.
  std::vector<std::optional<std::size_t>> readers_;
};

}  // namespace benanza::fusion
