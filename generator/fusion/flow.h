#pragma once

#include <optional>
#include <vector>

#include "generator/onnx/graph.h"

namespace benanza {

/// Who reads what, for calls that take over the work of the layers behind them.
class Flow {
 public:
  /// `layers` outlives the flow.
  explicit Flow(const std::vector<Layer>& layers);

  const Layer& layer(int index) const { return (*layers_)[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(layers_->size()); }

  /// The only reader of the layer's only result, which reads it once; empty if there is another
  /// reader, the caller of the model included.
  std::optional<int> reader(int index) const;
  /// True if operand `source` of a call of layer `index` is known when the model is loaded.
  bool is_constant(int index, const Source& source) const;
  /// True if operand `source` of a call of layer `index` is the result of layer `producer`.
  bool comes_from(int index, const Source& source, int producer) const;

 private:
  const Read* read(int index, const Source& source) const;

  const std::vector<Layer>* layers_;
  /// The last reader seen of every layer; -1 where there is none.
  std::vector<int> readers_;
};

}  // namespace benanza
