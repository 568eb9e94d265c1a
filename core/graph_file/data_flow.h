#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/text.h"

namespace benanza {

/// Version of the .flow.json format.
inline constexpr int flow_schema = 3;

/// The constants of a batch normalization, as tensors of the model.
struct Statistics {
  std::size_t scale = 0;
  std::size_t shift = 0;
  std::size_t mean = 0;
  std::size_t variance = 0;
  double epsilon = 0;
  bool operator==(const Statistics&) const = default;
};

/// Where an operand of a call comes from.
struct FlowOperand {
  /// tensor: DataFlow::tensors[index]. call: the result of the layer's call `index`. causal, band:
  /// a mask that the layer's attributes define. zeros: nothing else. bias: what the call's folds
  /// make of 0. factor, shift: of `statistics`, per channel. numbers: `numbers`.
  enum class Kind { tensor, call, causal, band, zeros, bias, factor, shift, numbers };
  Kind kind = Kind::tensor;
  std::size_t index = 0;
  /// Multiplies a constant or, of a product, what it reads.
  double scale = 1;
  /// Of a causal mask: how many of the last keys a query sees; 0: all.
  std::int64_t window = 0;
  std::optional<Statistics> statistics{};
  /// One for each element, or one for all. Of a tensor: its rows (the last axis) are repeated once
  /// for each of these, times it.
  std::vector<float> numbers{};
  /// Of a tensor or a call's result: its element with which the operand begins.
  std::int64_t first = 0;
  /// Of a tensor whose elements the call does not read one after the other: the first one, and the
  /// strides of the problem's operand in the tensor. Empty: from the first element on, dense.
  std::int64_t offset = 0;
  Dims strides{};
  bool operator==(const FlowOperand&) const = default;
};

/// A constant term or factor, per filter, column or channel, that a call does with its weights w
/// and its bias b, which starts at 0. add: b += t. sub: b -= t. rsub: w = -w, b = t - b. mul, div:
/// both by t. linear: w = alpha w, b = alpha b + beta. batch_normalization: that of `statistics`.
struct Fold {
  enum class Kind { add, sub, rsub, mul, div, linear, batch_normalization };
  Kind kind = Kind::add;
  /// t: DataFlow::tensors[tensor], which has one element, or one per filter, column or channel.
  std::size_t tensor = 0;
  double scale = 1;
  double alpha = 1;
  double beta = 0;
  std::optional<Statistics> statistics{};
  bool operator==(const Fold&) const = default;
};

/// Rows that indices choose: of each of `outer` blocks of `extent` rows of `inner` elements,
/// `count` rows, in the order of as many indices. A negative index counts from the end.
struct GatheredRows {
  std::int64_t outer = 1;
  std::int64_t extent = 0;
  std::int64_t count = 0;
  std::int64_t inner = 1;
  bool operator==(const GatheredRows&) const = default;
};

/// A library call and the tensors that it works on. Tensors are dense and row-major, so a result
/// feeds a later call element by element even if the two problems give it different extents.
struct FlowCall {
  /// The problem's key.
  std::string problem{};
  /// One per operand of the problem, followed by the indices if `gather` is set.
  std::vector<FlowOperand> operands{};
  std::vector<Fold> folds{};
  /// Copy only: where the views start in the operand and in the layer's output, in elements.
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  /// The layer's output that the call writes; of several results, the first.
  std::size_t output = 0;
  /// The layer's calls with this set write that output together.
  bool part = false;
  /// The tensor whose memory the output has: what the call does not write stays as it is there.
  std::optional<std::size_t> into{};
  /// The call only moves as many elements as the layer does; it does not make its result.
  bool proxy = false;
  /// The strides of the result in the layer's output; empty: dense.
  Dims result_strides{};
  /// What the layer does instead, if it chooses rows.
  std::optional<GatheredRows> gather{};
  bool operator==(const FlowCall&) const = default;
};

/// A tensor of the model.
struct FlowTensor {
  std::string name{};
  /// ONNX name of the element type, "float".
  std::string type{};
  /// Empty if unknown.
  std::optional<Dims> shape{};
  /// The layer that makes it; empty for inputs of the model and stored tensors.
  std::optional<std::size_t> layer{};
  /// Known when the model is loaded.
  bool constant = false;
  /// Of an input of the model that decides lengths: what they are taken to be.
  std::optional<std::int64_t> taken{};
  bool operator==(const FlowTensor&) const = default;
};

/// What a layer reads and writes.
struct FlowLayer {
  /// Indices of tensors, in the order of the node's outputs.
  std::vector<std::size_t> outputs{};
  /// Of a layer without work: the tensor whose elements its first output is.
  std::optional<std::size_t> view_of{};
  std::vector<FlowCall> calls{};
  bool operator==(const FlowLayer&) const = default;
};

/// The calls that do a fusion's work, in order; none if it is not known what they work on.
struct FlowFusion {
  std::vector<FlowCall> calls{};
  bool operator==(const FlowFusion&) const = default;
};

/// Which tensors the calls of a graph file work on: the contents of a .flow.json.
struct DataFlow {
  std::string model{};
  std::optional<std::int64_t> batch{};
  std::vector<FlowTensor> tensors{};
  /// As in the graph file.
  std::vector<FlowLayer> layers{};
  /// As in the graph file.
  std::vector<FlowFusion> fusions{};
  /// The tensors that the caller reads.
  std::vector<std::size_t> results{};
  bool operator==(const DataFlow&) const = default;
};

std::string flow_json(const DataFlow& flow);

/// Throws Error, one line, if the file is none or names tensors or calls that there are not.
DataFlow read_flow(const std::filesystem::path& path);

}  // namespace benanza
