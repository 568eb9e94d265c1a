#include <cmath>

#include "suites/tests/random/definition_call.h"

namespace benanza::definitions {
namespace {

Tensor matmul(const NodeCall& call) {
  Tensor a = call.input(0);
  Tensor b = call.input(1);
  const bool is_row = a.dims.size() == 1;
  const bool is_column = b.dims.size() == 1;
  if (is_row) a.dims.insert(a.dims.begin(), 1);
  if (is_column) b.dims.push_back(1);
  const Dims batch = joined({a.dims.begin(), a.dims.end() - 2}, {b.dims.begin(), b.dims.end() - 2});
  Dims dims = batch;
  dims.push_back(a.dims.end()[-2]);
  dims.push_back(b.dims.back());
  const std::int64_t inner = a.dims.back();
  Tensor result = made(dims, [&](const Dims& at) {
    const Dims outer(at.begin(), at.end() - 2);
    Dims of_a = broadcast_index(outer, {a.dims.begin(), a.dims.end() - 2});
    Dims of_b = broadcast_index(outer, {b.dims.begin(), b.dims.end() - 2});
    of_a.insert(of_a.end(), {at.end()[-2], 0});
    of_b.insert(of_b.end(), {0, at.back()});
    double sum = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      of_a.back() = of_b.end()[-2] = k;
      sum += a.at(of_a) * b.at(of_b);
    }
    return sum;
  });
  if (is_row) result.dims.erase(result.dims.end() - 2);
  if (is_column) result.dims.pop_back();
  return result;
}

Tensor gemm(const NodeCall& call) {
  const bool ta = call.integer("transA", 0) != 0;
  const bool tb = call.integer("transB", 0) != 0;
  const double alpha = call.real("alpha", 1);
  const double beta = call.real("beta", 1);
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(1);
  const std::int64_t inner = a.dims[ta ? 0 : 1];
  return made({a.dims[ta ? 1 : 0], b.dims[tb ? 0 : 1]}, [&](const Dims& at) {
    double sum = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      sum +=
          a.at(ta ? Dims{k, at[0]} : Dims{at[0], k}) * b.at(tb ? Dims{at[1], k} : Dims{k, at[1]});
    }
    sum *= alpha;
    if (call.has(2)) sum += beta * call.input(2).at(broadcast_index(at, call.input(2).dims));
    return sum;
  });
}

/// From opset 13 along one axis; before, over all axes from `axis` on.
Tensor softmax(const NodeCall& call, bool logarithm) {
  const Tensor& x = call.input(0);
  const bool one = call.opset >= 13;
  const auto axis =
      static_cast<std::size_t>(from_front(call.integer("axis", one ? -1 : 1), x.dims.size()));
  const auto row_of = [&](const Dims& at) {
    Dims row = at;
    for (std::size_t i = axis; i < (one ? axis + 1 : row.size()); ++i) row[i] = 0;
    return row;
  };
  std::map<Dims, double> largest_of;
  std::map<Dims, double> sum_of;
  Dims index(x.dims.size(), 0);
  do {
    const auto [found, is_new] = largest_of.try_emplace(row_of(index), x.at(index));
    if (!is_new) found->second = std::max(found->second, x.at(index));
  } while (advance(index, x.dims));
  do {
    sum_of[row_of(index)] += std::exp(x.at(index) - largest_of[row_of(index)]);
  } while (advance(index, x.dims));
  return made(x.dims, [&](const Dims& at) {
    const double shifted = x.at(at) - largest_of[row_of(at)];
    const double sum = sum_of[row_of(at)];
    return logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
  });
}

Tensor plain_softmax(const NodeCall& call) { return softmax(call, false); }
Tensor log_softmax(const NodeCall& call) { return softmax(call, true); }

Tensor reduced(const NodeCall& call, bool mean) {
  const Tensor& x = call.input(0);
  Dims axes = call.integers("axes", 1).value_or(Dims{});
  if (axes.empty() && call.integer("noop_with_empty_axes", 0) != 0) return x;
  std::vector<bool> is_reduced(x.dims.size(), axes.empty());
  for (const std::int64_t axis : axes) {
    is_reduced[static_cast<std::size_t>(from_front(axis, x.dims.size()))] = true;
  }
  Dims kept = x.dims;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (is_reduced[axis]) kept[axis] = 1;
  }
  Tensor result{kept, std::vector<double>(static_cast<std::size_t>(count(kept)), 0)};
  Dims index(x.dims.size(), 0);
  const double terms =
      mean && !x.values.empty() ? static_cast<double>(count(x.dims) / count(kept)) : 1;
  // The sum of nothing is 0.
  for (bool more = !x.values.empty(); more; more = advance(index, x.dims)) {
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < kept.size(); ++axis) {
      flat = flat * kept[axis] + (is_reduced[axis] ? 0 : index[axis]);
    }
    result.values[static_cast<std::size_t>(flat)] += x.at(index) / terms;
  }
  if (call.integer("keepdims", 1) != 0) return result;
  result.dims.clear();
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (!is_reduced[axis]) result.dims.push_back(kept[axis]);
  }
  return result;
}

Tensor reduce_mean(const NodeCall& call) { return reduced(call, true); }
Tensor reduce_sum(const NodeCall& call) { return reduced(call, false); }

/// Two axes of pixels or one, any groups and strides, no dilation other than stated.
Tensor conv(const NodeCall& call) {
  const Tensor& x = call.input(0);
  const Tensor& w = call.input(1);
  const std::size_t axes = x.dims.size() - 2;
  if (call.find("auto_pad") != nullptr) throw std::invalid_argument("Conv with auto_pad");
  const Dims ones(axes, 1);
  const Dims strides = call.integers("strides", 9).value_or(ones);
  const Dims dilations = call.integers("dilations", 9).value_or(ones);
  const Dims pads = call.integers("pads", 9).value_or(Dims(2 * axes, 0));
  const std::int64_t groups = call.integer("group", 1);
  Dims dims{x.dims[0], w.dims[0]};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t span = (w.dims[axis + 2] - 1) * dilations[axis] + 1;
    const std::int64_t padded = x.dims[axis + 2] + pads[axis] + pads[axis + axes];
    dims.push_back((padded - span) / strides[axis] + 1);
  }
  const Dims taps(w.dims.begin() + 1, w.dims.end());
  return made(dims, [&](const Dims& at) {
    const std::int64_t first = at[1] / (w.dims[0] / groups) * w.dims[1];
    double sum = call.has(2) ? call.input(2).values.at(static_cast<std::size_t>(at[1])) : 0;
    Dims tap(taps.size(), 0);
    do {
      Dims from{at[0], first + tap[0]};
      bool inside = true;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        from.push_back(at[axis + 2] * strides[axis] - pads[axis] + tap[axis + 1] * dilations[axis]);
        inside = inside && from.back() >= 0 && from.back() < x.dims[axis + 2];
      }
      Dims of_w{at[1]};
      of_w.insert(of_w.end(), tap.begin(), tap.end());
      if (inside) sum += x.at(from) * w.at(of_w);
    } while (advance(tap, taps));
    return sum;
  });
}

}  // namespace

void add_sums(Functions& table) {
  table["MatMul"] = matmul;
  table["Gemm"] = gemm;
  table["Conv"] = conv;
  table["Softmax"] = plain_softmax;
  table["LogSoftmax"] = log_softmax;
  table["ReduceMean"] = reduce_mean;
  table["ReduceSum"] = reduce_sum;
}

}  // namespace benanza::definitions
