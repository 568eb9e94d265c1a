#include <algorithm>

#include "base/error.h"
#include "onnx/lowering.h"

namespace benanza::lower {
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

Lowered matmul(const Site& site) {
  Dims a = site.shape(0);
  Dims b = site.shape(1);
  if (a.empty() || b.empty()) throw Error("a scalar does not multiply as a matrix");
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  Gemm shape;
  shape.m = a.end()[-2];
  shape.k = a.end()[-1];
  shape.n = b.end()[-1];
  shape.constant_b = site.input(1).constant;
  if (b.end()[-2] != shape.k) {
    throw Error(join(site.shape(0), 'x') + " and " + join(site.shape(1), 'x') + " do not multiply");
  }
  shape.batch_a.assign(a.begin(), a.end() - 2);
  shape.batch_b.assign(b.begin(), b.end() - 2);
  if (element_count(shape.batch_b) == 1) {
    // One B for all: the batch of A is only more rows.
    shape.m *= element_count(shape.batch_a);
    shape.batch_a.clear();
    shape.batch_b.clear();
  }
  merge_batches(shape.batch_a, shape.batch_b);
  return measured({call(shape, {from_input(0), from_input(1)})});
}

}  // namespace

void register_matmul(LoweringTable& table) { table.add("MatMul", matmul); }

}  // namespace benanza::lower
