#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/language/pass.h"
#include "models/zoo/attributes.h"

namespace benanza::language {

using zoo::Dims;

/// onnx::TensorProto::FLOAT8E4M3FN, which older headers lack.
inline constexpr int float8_e4m3fn = 17;

/// A tensor of the graph under construction.
struct Tensor {
  std::string name;
  Dims dims;
};

/// Writes an ONNX graph without weights: each is made at run time from its shape, so that the file
/// is small. Counts what the weights stand for.
class Graph {
 public:
  static constexpr std::int64_t opset = 24;
  static constexpr std::int64_t ir_version = 11;

  explicit Graph(const std::string& name);

  Tensor input(const std::string& name, int type, const Dims& dims);
  void output(const Tensor& x, int type);

  /// A node with one output of `dims`, named like the node. `x.name` of an absent input is empty.
  Tensor add(const std::string& op_type, const std::string& name, const std::vector<Tensor>& inputs,
             const Dims& dims);
  /// The same for several outputs, named NAME, NAME:1, ...
  std::vector<Tensor> add(const std::string& op_type, const std::string& name,
                          const std::vector<Tensor>& inputs, const std::vector<Dims>& outputs);
  /// The node added last: for its attributes and domain.
  ::onnx::NodeProto& last();

  /// A parameter of the model, of floats: each is `value`.
  Tensor parameter(const std::string& name, const Dims& dims, float value);
  /// The same, stored in `type` with `bits` for each of `numbers` parameters; `dims` are those of
  /// the stored tensor.
  Tensor packed(const std::string& name, int type, const Dims& dims, int bits,
                std::int64_t numbers);
  /// Scales of packed parameters, stored as floats of the run.
  Tensor scales(const std::string& name, const Dims& dims);
  /// A table or scale that is no parameter, named constants/NAME. Equal names are added once.
  Tensor constant(const std::string& name, int type, const Dims& dims, float value);
  /// A stored list of integers, or one integer.
  Tensor integers(const std::string& name, const std::vector<std::int64_t>& values);
  Tensor integer(const std::string& name, std::int64_t value, int type);

  void describe(const std::string& key, const std::string& value);

  /// Parameters of the model that this graph holds.
  std::int64_t parameters() const { return parameters_; }
  /// Bytes of parameters and of their scales, with 2 for each that is stored as a float of the run.
  std::int64_t weight_bytes() const { return weight_bytes_; }

  ::onnx::ModelProto take() { return std::move(model_); }

 private:
  Tensor filled(const std::string& name, int type, const Dims& dims, float value);

  ::onnx::ModelProto model_;
  std::vector<std::string> constants_;
  std::int64_t parameters_ = 0;
  std::int64_t weight_bytes_ = 0;
};

/// The product of x (..., k) with stored weights, (k, columns).
struct Product {
  std::string name;
  std::int64_t columns = 0;
  bool bias = false;
};
Tensor multiply(Graph& graph, const WeightType& weights, const Tensor& x, const Product& product);

/// The sum over all GPUs of `ranks`; x itself for one.
Tensor all_reduce(Graph& graph, const std::string& name, const Tensor& x, std::int64_t ranks);

/// x / sqrt(mean(x^2) + epsilon) over the last axis, times stored factors, or times one.
Tensor rms_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon,
                bool factors = true);

/// a and b of equal dims, or b broadcasts to a.
Tensor elementwise(Graph& graph, const std::string& op_type, const std::string& name,
                   const Tensor& a, const Tensor& b);
Tensor unary(Graph& graph, const std::string& op_type, const std::string& name, const Tensor& x);
Tensor scaled(Graph& graph, const std::string& name, const Tensor& x, float factor);
/// cap * tanh(x / cap); x itself if `cap` is 0.
Tensor capped(Graph& graph, const std::string& name, const Tensor& x, float cap);
Tensor reshaped(Graph& graph, const std::string& name, const Tensor& x, const Dims& dims);
Tensor transposed(Graph& graph, const std::string& name, const Tensor& x, const Dims& order);
/// Parts of the last axis, of so many elements each.
std::vector<Tensor> split(Graph& graph, const std::string& name, const Tensor& x,
                          const Dims& parts);
Tensor concatenated(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);

/// `whole` / `ranks`. Throws Error, naming `what`, if it does not divide.
std::int64_t share(std::int64_t whole, std::int64_t ranks, const std::string& what);

}  // namespace benanza::language
