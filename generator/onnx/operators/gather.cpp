#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/base/lookup.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Operators that read or write at indices. If the indices are known and evenly spaced, the copy
/// moves exactly what the node does; otherwise a proxy moves as many contiguous elements.
namespace benanza::onnx {
namespace {

void check_gather_nd(const NodeView& node) {
  if (const std::int64_t batch = node.integer("batch_dims", 0); batch < 0) {
    throw Error("has batch_dims of " + std::to_string(batch));
  }
  if (node.rank(1) == 0U) throw Error("has indices without an axis");
}

std::vector<Literal> fold_gather(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto axis = at(NodeView::axis(node.integer("axis", 0), dims.size()));
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::int64_t inner = dense_strides(dims)[axis];
  std::vector<std::int64_t> from;
  for (std::int64_t block = 0; block < element_count(outer); ++block) {
    for (std::int64_t index : node.integers(1)) {
      if (index < 0) index += dims[axis];
      if (index < 0 || index >= dims[axis]) throw Error("an index beyond the tensor");
      for (std::int64_t element = 0; element < inner; ++element) {
        from.push_back((block * dims[axis] + index) * inner + element);
      }
    }
  }
  return {pick(node.literal(0), from)};
}

/// Offset in a tensor of `dims` of the index tuple of `length` values at indices[first].
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

std::int64_t tuple_length(const NodeView& node) {
  const Dims& indices = node.shape(1);
  if (indices.empty() || indices.back() < 0 ||
      indices.back() > static_cast<std::int64_t>(node.shape(0).size())) {
    throw Error("indices do not fit the tensor");
  }
  return indices.back();
}

/// Where the known tuples of indices lead to in input 0, and the run of elements there.
struct Tuples {
  std::vector<std::int64_t> offsets;
  std::int64_t run = 0;

  explicit Tuples(const NodeView& node) {
    const Dims& dims = node.shape(0);
    const Dims indices = node.integers(1);
    const std::int64_t length = tuple_length(node);
    if (length == 0) throw NotExpressible("empty indices");
    run = element_count({dims.begin() + length, dims.end()});
    for (std::size_t first = 0; first < indices.size(); first += at(length)) {
      offsets.push_back(offset_of(indices, first, length, dims));
    }
  }
};

std::vector<Literal> fold_gather_nd(const NodeView& node) {
  if (node.integer("batch_dims", 0) != 0) throw NotExpressible("batch axes");
  const Tuples tuples(node);
  return {std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> picked;
        for (const std::int64_t offset : tuples.offsets) {
          picked.insert(picked.end(), values.begin() + offset,
                        values.begin() + offset + tuples.run);
        }
        return picked;
      },
      node.literal(0))};
}

/// The values of input 0, with runs of those of input 2 at `offsets`.
std::vector<Literal> overwrite(const NodeView& node, const std::vector<std::int64_t>& offsets,
                               std::int64_t run) {
  if (node.text("reduction", "none") != "none") throw NotExpressible("a reduction");
  Literal result = node.literal(0);
  std::visit(
      [&](auto& values) {
        const auto* updates = std::get_if<std::decay_t<decltype(values)>>(&node.literal(2));
        if (updates == nullptr || updates->size() != offsets.size() * at(run)) {
          throw Error("updates do not fit the indices");
        }
        auto next = updates->begin();
        for (const std::int64_t offset : offsets) {
          std::copy(next, next + run, values.begin() + offset);
          next += run;
        }
      },
      result);
  return {result};
}

std::vector<Literal> fold_scatter_nd(const NodeView& node) {
  const Tuples tuples(node);
  return overwrite(node, tuples.offsets, tuples.run);
}

/// Offsets of input[..., index at the same position, ...] along the axis.
std::vector<std::int64_t> element_offsets(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const Dims& out = node.shape(1);
  const Dims indices = node.integers(1);
  const std::size_t axis = at(NodeView::axis(node.integer("axis", 0), dims.size()));
  if (out.size() != dims.size()) throw Error("indices need as many axes as the tensor");
  const Dims strides = dense_strides(dims);
  const Dims out_strides = dense_strides(out);
  std::vector<std::int64_t> offsets;
  for (std::size_t flat = 0; flat < indices.size(); ++flat) {
    std::int64_t offset = 0;
    for (std::size_t at_axis = 0; at_axis < dims.size(); ++at_axis) {
      std::int64_t index =
          at_axis == axis ? indices[flat]
                          : static_cast<std::int64_t>(flat) / out_strides[at_axis] % out[at_axis];
      if (index < 0) index += dims[at_axis];
      if (index < 0 || index >= dims[at_axis]) throw Error("an index beyond the tensor");
      offset += index * strides[at_axis];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

std::vector<Literal> fold_gather_elements(const NodeView& node) {
  return {pick(node.literal(0), element_offsets(node))};
}

std::vector<Literal> fold_scatter_elements(const NodeView& node) {
  return overwrite(node, element_offsets(node), 1);
}

/// First index and step of evenly spaced indices.
struct Progression {
  std::int64_t first;
  std::int64_t step;
};

std::optional<Progression> progression(Dims indices, std::int64_t extent) {
  if (indices.empty()) return std::nullopt;
  for (std::int64_t& index : indices) {
    if (index < 0) index += extent;
    if (index < 0 || index >= extent)
      throw Error("an index beyond the axis of " + std::to_string(extent));
  }
  const std::int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  if (step < 0) return std::nullopt;
  for (std::size_t next = 1; next < indices.size(); ++next) {
    if (indices[next] - indices[next - 1] != step) return std::nullopt;
  }
  return Progression{indices[0], step};
}

/// Those of `known`, or some that input 1 says; of each of several tables its own unless `shared`.
Lowered lower_rows(const GatheredRows& rows, const std::optional<Progression>& known, bool shared) {
  const std::int64_t inner = rows.inner;
  View from{{rows.outer, rows.count, inner}, {rows.extent * inner, inner, 1}, 0};
  if (known) {
    if (known->first == 0 && known->step == 1 && rows.count == rows.extent) {
      return free_layer("picks everything in order");
    }
    from.strides[1] = known->step * inner;
    from.offset = known->first * inner;
  } else if (rows.count > rows.extent) {
    from.strides[1] = 0;
  }
  Call result = copy_call(from, dense_view(from.dims));
  result.is_proxy = !known;
  if (!known && shared) result.gather = {.indices = 1, .rows = rows};
  return movement({result});
}

Lowered lower_gather(const NodeView& node, std::size_t axis) {
  const Dims& dims = node.shape(0);
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto known = node.input(1).literal ? progression(node.integers(1), dims[axis])
                                           : std::optional<Progression>();
  return lower_rows(
      {element_count(outer), dims[axis], element_count(node.shape(1)), dense_strides(dims)[axis]},
      known, true);
}

Lowered lower_gather(const NodeView& node) {
  return lower_gather(node, at(NodeView::axis(node.integer("axis", 0), node.shape(0).size())));
}

/// Columns of features; a vector is one row.
std::vector<TensorFacts> features_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("takes features of a scalar");
  if (dims.size() == 1) dims.insert(dims.begin(), 1);
  dims.back() = node.elements(1);
  return {{node.input(0).type, dims}};
}

Lowered lower_features(const NodeView& node) {
  return lower_gather(node, node.shape(0).size() - 1);
}

/// No more rows than there are indices.
std::vector<PartRead> rows_picked(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const auto axis = at(NodeView::axis(node.integer("axis", 0), dims.size()));
  return {{.input = 0, .most = std::min(node.elements(1), dims[axis]), .of = dims[axis]}};
}

/// No more elements than the result has.
std::vector<PartRead> elements_picked(const NodeView& node) {
  return {{.input = 0,
           .most = std::min(node.elements(0), element_count(node.output_shape(0))),
           .of = node.elements(0)}};
}

Lowered lower_gather_any(const NodeView& node) {
  return movement({proxy_copy(node, element_count(node.output_shape(0)))});
}

/// Of ONNX Runtime's own, which has no axes of a batch.
std::vector<TensorFacts> gather_nd_shape(const NodeView& node) {
  const Dims& data = node.shape(0);
  const Dims& indices = node.shape(1);
  Dims dims(indices.begin(), indices.end() - (indices.empty() ? 0 : 1));
  dims.insert(dims.end(), data.begin() + tuple_length(node), data.end());
  return {{node.input(0).type, dims}};
}

/// Indices of several axes pick rows of a table that has these axes as one.
Lowered lower_gather_nd(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const std::int64_t length = tuple_length(node);
  const std::int64_t batch = node.integer("batch_dims", 0);
  if (length == 0 || batch < 0 || batch > std::ssize(dims) - length) return lower_gather_any(node);
  const std::int64_t depth = batch + length;
  GatheredRows rows{.outer = element_count({dims.begin(), dims.begin() + batch}),
                    .extent = element_count({dims.begin() + batch, dims.begin() + depth}),
                    .inner = element_count({dims.begin() + depth, dims.end()})};
  if (rows.outer == 0 || rows.inner == 0) return lower_gather_any(node);
  rows.count = node.elements(1) / length / rows.outer;
  std::optional<Progression> known;
  if (node.input(1).literal && batch == 0) {
    std::vector<std::int64_t> places = Tuples(node).offsets;
    for (std::int64_t& place : places) place /= rows.inner;
    known = progression(std::move(places), rows.extent);
  }
  return lower_rows(rows, known, length == 1 && batch == 0);
}

std::vector<TensorFacts> embedding_shape(const NodeView& node) {
  Dims dims = node.shape(1);
  const Dims& table = node.shape(0);
  if (table.empty()) throw Error("a table without rows");
  dims.insert(dims.end(), table.begin() + 1, table.end());
  return {{node.input(0).type, dims}};
}

constexpr std::pair<std::string_view, BinaryKind> scatter_reductions[] = {{"add", BinaryKind::add},
                                                                          {"mul", BinaryKind::mul},
                                                                          {"max", BinaryKind::max},
                                                                          {"min", BinaryKind::min}};

/// A copy of the data, and one of the updates. Those that are combined with what is there: its
/// elements are picked, combined, and put into the copy.
Lowered lower_scatter(const NodeView& node) {
  const std::string reduction = node.text("reduction", "none");
  const Dims& updates = node.shape(2);
  if (const auto kind = found_in(scatter_reductions, std::string_view(reduction))) {
    const Call picked = proxy_copy(node, element_count(updates));
    Call put = proxy_copy(node, element_count(updates), 2);
    put.operands = {from_call(1)};
    Lowered lowered = measured(
        {picked,
         elementwise_call(*kind, {updates, false, from_call(0)}, {updates, false, from_input(2)}),
         put, proxy_copy(node, element_count(node.shape(0)))});
    lowered.reason = "no library here combines where it puts: a framework may need fewer passes";
    return lowered;
  }
  if (reduction != "none") throw NotExpressible("a reduction \"" + reduction + '"');
  return movement({proxy_copy(node, element_count(node.shape(0))),
                   proxy_copy(node, element_count(updates), 2)});
}

/// New rows in the memory of a cache. Where all sequences begin at one place that is known, the
/// copy says which.
Lowered lower_scatter_rows(const NodeView& node) {
  const Dims& cache = node.shape(0);
  const Dims& rows = node.shape(1);
  const std::int64_t axis = NodeView::axis(node.integer("axis", -2), cache.size());
  std::int64_t start = -1;
  if (!node.has_input(2)) {
    start = 0;
  } else if (node.input(2).literal && !node.input(2).assumption) {
    const Dims starts = node.integers(2);
    if (!starts.empty() && std::ranges::count(starts, starts[0]) == std::ssize(starts)) {
      start = starts[0];
    }
  }
  const auto place = static_cast<std::size_t>(axis);
  const bool fits =
      rows.size() == cache.size() && start >= 0 && start + rows[place] <= cache[place];
  Call copy = proxy_copy(node, element_count(rows), 1);
  if (fits) {
    const Dims strides = dense_strides(cache);
    copy = copy_call(dense_view(rows), {rows, strides, start * strides[place]});
    copy.operands = {from_input(1)};
  }
  copy.in_place = true;
  copy.into = 0;
  return movement({std::move(copy)});
}

}  // namespace

void register_gather(OperatorTable& table) {
  table.add("Gather", {.fold = fold_gather, .lower = lower_gather, .parts = rows_picked});
  table.add("ai.onnx.ml.ArrayFeatureExtractor",
            {.shapes = {{features_shape}}, .lower = lower_features, .parts = elements_picked});
  table.add("com.microsoft.TorchEmbedding", {.shapes = {{embedding_shape}},
                                             .lower = lower_gather,
                                             .parts = rows_picked,
                                             .idle_inputs = {1, 2, 3}});
  table.add("GatherElements", {.fold = fold_gather_elements,
                               .lower = lower_gather_any,
                               .parts = elements_picked,
                               .idle_attributes = {"axis"},
                               .idle_inputs = {1}});
  table.add("GatherND", {.check = check_gather_nd,
                         .fold = fold_gather_nd,
                         .lower = lower_gather_nd,
                         .parts = elements_picked,
                         .idle_attributes = {"batch_dims"},
                         .idle_inputs = {1}});
  table.add("com.microsoft.GatherND", {.shapes = {{gather_nd_shape}},
                                       .lower = lower_gather_nd,
                                       .parts = elements_picked,
                                       .idle_inputs = {1}});
  table.add("Scatter", {.fold = fold_scatter_elements,
                        .lower = lower_scatter,
                        .idle_attributes = {"axis"},
                        .idle_inputs = {1}});
  table.add("ScatterElements", {.shapes = {{like_first}},
                                .fold = fold_scatter_elements,
                                .lower = lower_scatter,
                                .idle_attributes = {"axis"},
                                .idle_inputs = {1}});
  table.add("ScatterND", {.shapes = {{like_first}},
                          .fold = fold_scatter_nd,
                          .lower = lower_scatter,
                          .idle_inputs = {1}});
  table.add("TensorScatter", {.shapes = {{like_first}},
                              .lower = lower_scatter_rows,
                              .idle_attributes = {"axis", "mode"},
                              .idle_inputs = {2}});
}

}  // namespace benanza::onnx
