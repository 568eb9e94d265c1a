#include <algorithm>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/fold/table.h"
#include "generator/onnx/views.h"
#include "generator/onnx/whole.h"

/// Operators that pick or place elements by position.
namespace benanza::onnx::fold {
namespace {

std::vector<Literal> nonzero(const Site& site) {
  const Dims& dims = site.shape(0);
  const Dims strides = dense_strides(dims);
  Dims found;
  std::visit(
      [&](const auto& values) {
        for (std::size_t index = 0; index < values.size(); ++index) {
          if (values[index] != 0) found.push_back(static_cast<std::int64_t>(index));
        }
      },
      site.literal(0));
  Dims coordinates;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    for (const std::int64_t index : found) {
      coordinates.push_back(index / strides[axis] % dims[axis]);
    }
  }
  return {coordinates};
}

/// Keeps one side of a diagonal of the last two axes.
std::vector<Literal> trilu(const Site& site) {
  const Dims& dims = site.shape(0);
  if (dims.size() < 2) throw Error("needs at least two axes");
  const std::int64_t diagonal = whole(site.scalar(1, 0));
  const bool upper = site.node().integer("upper", 1) != 0;
  const std::int64_t rows = dims.end()[-2];
  const std::int64_t columns = dims.end()[-1];
  Literal result = site.literal(0);
  std::visit(
      [&](auto& values) {
        for (std::size_t index = 0; index < values.size(); ++index) {
          const std::int64_t column = static_cast<std::int64_t>(index) % columns;
          const std::int64_t row = static_cast<std::int64_t>(index) / columns % rows;
          const bool kept = upper ? column - row >= diagonal : column - row <= diagonal;
          if (!kept) values[index] = 0;
        }
      },
      result);
  return {result};
}

/// Offset in a tensor of `dims` that the index tuple `first`, of length `length`, points at.
std::int64_t offset_of(const Dims& indices, std::size_t first, std::int64_t length,
                       const Dims& dims) {
  const Dims strides = dense_strides(dims);
  std::int64_t offset = 0;
  for (std::int64_t axis = 0; axis < length; ++axis) {
    std::int64_t index = indices.at(first + at(axis));
    const std::int64_t extent = dims.at(at(axis));
    if (index < 0) index += extent;
    if (index < 0 || index >= extent) throw Error("an index beyond the tensor");
    offset += index * strides[at(axis)];
  }
  return offset;
}

std::int64_t tuple_length(const Site& site) {
  const Dims& indices = site.shape(1);
  if (indices.empty() || indices.back() < 0 ||
      indices.back() > static_cast<std::int64_t>(site.shape(0).size())) {
    throw Error("indices do not fit the tensor");
  }
  return indices.back();
}

std::vector<Literal> gather_nd(const Site& site) {
  if (site.node().integer("batch_dims", 0) != 0) throw NotExpressible("batch axes");
  const Dims& dims = site.shape(0);
  const Dims indices = site.integers(1);
  const std::int64_t length = tuple_length(site);
  if (length == 0) throw NotExpressible("empty indices");
  const std::int64_t run = element_count({dims.begin() + length, dims.end()});
  return {std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> picked;
        for (std::size_t first = 0; first < indices.size(); first += at(length)) {
          const auto begin = values.begin() + offset_of(indices, first, length, dims);
          picked.insert(picked.end(), begin, begin + run);
        }
        return picked;
      },
      site.literal(0))};
}

std::vector<Literal> scatter_nd(const Site& site) {
  if (site.node().text("reduction", "none") != "none") throw NotExpressible("a reduction");
  const Dims& dims = site.shape(0);
  const Dims indices = site.integers(1);
  const std::int64_t length = tuple_length(site);
  if (length == 0) throw NotExpressible("empty indices");
  const std::int64_t run = element_count({dims.begin() + length, dims.end()});
  Literal result = site.literal(0);
  std::visit(
      [&](auto& values) {
        const auto& updates = std::get<std::decay_t<decltype(values)>>(site.literal(2));
        if (updates.size() != indices.size() / at(length) * at(run)) {
          throw Error("updates do not fit the indices");
        }
        auto next = updates.begin();
        for (std::size_t first = 0; first < indices.size(); first += at(length)) {
          std::copy(next, next + run, values.begin() + offset_of(indices, first, length, dims));
          next += run;
        }
      },
      result);
  return {result};
}

/// element = input[..., index at the same place, ...] along the axis.
std::vector<Literal> gather_elements(const Site& site) {
  const Dims& dims = site.shape(0);
  const Dims& out = site.shape(1);
  const Dims indices = site.integers(1);
  const std::size_t axis = at(Site::axis(site.node().integer("axis", 0), dims.size()));
  if (out.size() != dims.size()) throw Error("indices need as many axes as the tensor");
  const Dims strides = dense_strides(dims);
  const Dims out_strides = dense_strides(out);
  return {std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> picked;
        for (std::size_t flat = 0; flat < indices.size(); ++flat) {
          std::int64_t offset = 0;
          for (std::size_t at_axis = 0; at_axis < dims.size(); ++at_axis) {
            std::int64_t index = at_axis == axis ? indices[flat]
                                                 : static_cast<std::int64_t>(flat) /
                                                       out_strides[at_axis] % out[at_axis];
            if (index < 0) index += dims[at_axis];
            if (index < 0 || index >= dims[at_axis]) throw Error("an index beyond the tensor");
            offset += index * strides[at_axis];
          }
          picked.push_back(values.at(at(offset)));
        }
        return picked;
      },
      site.literal(0))};
}

std::vector<Literal> cumulative_sum(const Site& site) {
  const Dims& dims = site.shape(0);
  const std::size_t axis = at(Site::axis(whole(site.scalar(1, 0)), dims.size()));
  const bool exclusive = site.node().integer("exclusive", 0) != 0;
  const bool reverse = site.node().integer("reverse", 0) != 0;
  const std::int64_t stride = dense_strides(dims)[axis];
  const std::int64_t extent = dims[axis];
  Literal result = site.literal(0);
  std::visit(
      [&](auto& values) {
        using Value = std::decay_t<decltype(values[0])>;
        for (std::size_t flat = 0; flat < values.size(); ++flat) {
          if (static_cast<std::int64_t>(flat) / stride % extent != 0) continue;
          Value sum{};
          for (std::int64_t step = 0; step < extent; ++step) {
            const std::int64_t place = reverse ? extent - 1 - step : step;
            Value& value = values[flat + at(place * stride)];
            const Value before = sum;
            if constexpr (std::is_integral_v<Value>) {
              sum = checked_sum(sum, value);
            } else {
              sum += value;
            }
            value = exclusive ? before : sum;
          }
        }
      },
      result);
  return {result};
}

/// Constant padding of a constant.
std::vector<Literal> pad(const Site& site) {
  if (site.node().text("mode", "constant") != "constant") throw NotExpressible("another mode");
  const Dims& dims = site.shape(0);
  const Dims pads = pads_of_all_axes(site);
  const Dims& out = site.output_shape(0);
  const Dims strides = dense_strides(dims);
  const Dims out_strides = dense_strides(out);
  const double fill = site.node().opset() < 11 ? site.node().real("value", 0) : site.scalar(2, 0);
  return {std::visit(
      [&](const auto& values) -> Literal {
        using Values = std::decay_t<decltype(values)>;
        Values padded(at(element_count(out)));
        if constexpr (std::is_integral_v<typename Values::value_type>) {
          std::fill(padded.begin(), padded.end(), whole(fill));
        } else {
          std::fill(padded.begin(), padded.end(), fill);
        }
        for (std::size_t flat = 0; flat < padded.size(); ++flat) {
          std::int64_t offset = 0;
          bool inside = true;
          for (std::size_t axis = 0; axis < out.size(); ++axis) {
            const std::int64_t index =
                static_cast<std::int64_t>(flat) / out_strides[axis] % out[axis] - pads[axis];
            inside = inside && index >= 0 && index < dims[axis];
            offset += index * strides[axis];
          }
          if (inside) padded[flat] = values[at(offset)];
        }
        return padded;
      },
      site.literal(0))};
}

}  // namespace

void register_index(FoldTable& table) {
  table.add("NonZero", nonzero);
  table.add("Trilu", trilu);
  table.add("GatherND", gather_nd);
  table.add("ScatterND", scatter_nd);
  table.add("GatherElements", gather_elements);
  table.add("CumSum", cumulative_sum);
  table.add("Pad", pad);
}

}  // namespace benanza::onnx::fold
