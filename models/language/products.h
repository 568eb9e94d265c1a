#pragma once

#include <cstdint>
#include <string>

#include "models/language/graph.h"
#include "models/language/pass.h"

namespace benanza::language {

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
