#include "generator/onnx/product.h"

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/sliding_window.h"

namespace benanza::onnx {
namespace {

/// Batches of equal rank, without axes that are 1 in both, and with neighbours merged that
/// broadcast alike: equal products become equal problems.
void merge_batches(Dims& a, Dims& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  Dims merged_a;
  Dims merged_b;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) {
      throw Error("batches " + join(a, 'x') + " and " + join(b, 'x') + " do not broadcast");
    }
    if (a[axis] == 1 && b[axis] == 1) continue;
    const bool joins = !merged_a.empty() && (merged_a.back() == 1) == (a[axis] == 1) &&
                       (merged_b.back() == 1) == (b[axis] == 1);
    if (joins) {
      merged_a.back() *= a[axis];
      merged_b.back() *= b[axis];
    } else {
      merged_a.push_back(a[axis]);
      merged_b.push_back(b[axis]);
    }
  }
  a = merged_a;
  b = merged_b;
}

}  // namespace

Call convolution_call(const Site& site, Factors factors) {
  const Dims& input = image_extents(site);
  const Dims& weights = site.shape(factors.second);
  if (weights.size() != input.size()) {
    throw Error("weights of rank " + std::to_string(weights.size()) + " for an input of rank " +
                std::to_string(input.size()));
  }
  Convolution shape;
  shape.input = input;
  shape.filters = weights[0];
  shape.groups = site.node().integer("group", 1);
  if (shape.groups < 1 || shape.groups > input[1] || weights[1] * shape.groups != input[1] ||
      shape.filters % shape.groups != 0) {
    throw Error("weights of " + join(weights, 'x') + " in " + std::to_string(shape.groups) +
                " groups do not fit " + std::to_string(input[1]) + " input channels");
  }
  const Dims kernel = spatial(weights);
  if (site.node().integers("kernel_shape").value_or(kernel) != kernel) {
    throw Error("kernel_shape differs from the weights' " + join(kernel, 'x'));
  }
  shape.window = sliding_window(site.node(), spatial(input), kernel).window;
  return call(shape, {from_input(static_cast<int>(factors.first)),
                      from_input(static_cast<int>(factors.second))});
}

Call product_call(Dims a, Source a_source, Dims b, Source b_source, bool constant_b,
                  bool transpose_a, bool transpose_b) {
  if (a.empty() || b.empty()) throw Error("a scalar does not multiply as a matrix");
  const std::string wrong = join(a, 'x') + " and " + join(b, 'x') + " do not multiply";
  if ((transpose_a && a.size() == 1) || (transpose_b && b.size() == 1)) throw Error(wrong);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  Gemm shape;
  shape.transpose_a = transpose_a;
  shape.transpose_b = transpose_b;
  shape.m = a.end()[transpose_a ? -1 : -2];
  shape.k = a.end()[transpose_a ? -2 : -1];
  shape.n = b.end()[transpose_b ? -2 : -1];
  shape.constant_b = constant_b;
  if (b.end()[transpose_b ? -1 : -2] != shape.k) throw Error(wrong);
  shape.batch_a.assign(a.begin(), a.end() - 2);
  shape.batch_b.assign(b.begin(), b.end() - 2);
  if (element_count(shape.batch_b) == 1 && !transpose_a) {
    // One B for all: the batch of A is only more rows.
    shape.m *= element_count(shape.batch_a);
    shape.batch_a.clear();
    shape.batch_b.clear();
  }
  merge_batches(shape.batch_a, shape.batch_b);
  return call(shape, {a_source, b_source});
}

Call matmul_call(const Site& site, Factors factors, bool transpose_a, bool transpose_b) {
  return product_call(site.shape(factors.first), from_input(static_cast<int>(factors.first)),
                      site.shape(factors.second), from_input(static_cast<int>(factors.second)),
                      site.input(factors.second).constant, transpose_a, transpose_b);
}

}  // namespace benanza::onnx
