#pragma once

#include <optional>
#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// The data flow between layers, to find calls that take over the work of following layers.
class Flow {
 public:
  /// `layers` must outlive the flow.
  explicit Flow(const std::vector<LoweredLayer>& layers);

  const LoweredLayer& layer(std::size_t index) const { return (*layers_)[index]; }
  const std::vector<LoweredLayer>& layers() const { return *layers_; }
  std::size_t size() const { return layers_->size(); }

  /// The only reader of the layer's only result, which reads it once; empty if there is any other
  /// reader, including the caller of the model.
  std::optional<std::size_t> reader(std::size_t index) const;
  /// True if layer `index` only passes on its first input: under another name, with other extents,
  /// or as another floating-point type, because calls convert as they read and write.
  bool passes_on(std::size_t index) const;
  /// Returns what operand `source` of a call of layer `index` reads; null if it is not an input of
  /// the layer.
  const Read* read(std::size_t index, const Source& source) const;
  /// True if operand `source` of a call of layer `index` is known when the model is loaded.
  bool is_constant(std::size_t index, const Source& source) const;
  /// True if operand `source` of a call of layer `index` is a result of layer `producer`.
  bool comes_from(std::size_t index, const Source& source, std::size_t producer) const;
  /// True if a call may overwrite operand `source` of a call of layer `index` once layer `start`
  /// begins: a layer made it, the model's caller does not read it, layer `index` reads it once, and
  /// all other readers run before `start` in any topological order.
  bool may_be_overwritten(std::size_t index, const Source& source, std::size_t start) const;

 private:
  /// A layer without work whose result shares its first input's memory.
  bool is_view(std::size_t index) const;
  /// For every layer, whether `index` depends on it.
  std::vector<bool> layers_before(std::size_t index) const;

  const std::vector<LoweredLayer>* layers_;
  /// The last reader of every layer.
  std::vector<std::optional<std::size_t>> readers_;
};

}  // namespace benanza::fusion
