#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/fold/table.h"
#include "generator/onnx/views.h"

namespace benanza::onnx::fold {
namespace {

Literal pick(const Literal& literal, const std::vector<std::int64_t>& from) {
  return std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> picked;
        picked.reserve(from.size());
        for (const std::int64_t position : from) picked.push_back(values.at(at(position)));
        return picked;
      },
      literal);
}

std::vector<Literal> slice(const Site& site) {
  return {pick(site.literal(0), positions(slice_view(site)))};
}

std::vector<Literal> transpose(const Site& site) {
  return {pick(site.literal(0), positions(transpose_view(site)))};
}

std::vector<Literal> expand(const Site& site) {
  return {pick(site.literal(0), positions(broadcast_view(site.shape(0), site.output_shape(0))))};
}

std::vector<Literal> split(const Site& site) {
  std::vector<Literal> parts;
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    parts.push_back(pick(site.literal(0), positions(split_view(site, index))));
  }
  return parts;
}

std::vector<Literal> gather(const Site& site) {
  const Dims& dims = site.shape(0);
  const auto axis = at(Site::axis(site.node().integer("axis", 0), dims.size()));
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::int64_t inner = dense_strides(dims)[axis];
  std::vector<std::int64_t> from;
  for (std::int64_t block = 0; block < element_count(outer); ++block) {
    for (std::int64_t index : site.integers(1)) {
      if (index < 0) index += dims[axis];
      if (index < 0 || index >= dims[axis]) throw Error("an index beyond the tensor");
      for (std::int64_t element = 0; element < inner; ++element) {
        from.push_back((block * dims[axis] + index) * inner + element);
      }
    }
  }
  return {pick(site.literal(0), from)};
}

std::vector<Literal> concat(const Site& site) {
  const auto axis = at(Site::axis(site.node().integer("axis", 1), site.shape(0).size()));
  const Dims& dims = site.shape(0);
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  Literal joined = pick(site.literal(0), {});
  for (std::int64_t block = 0; block < element_count(outer); ++block) {
    for (std::size_t part = 0; part < site.input_count(); ++part) {
      const Dims& extents = site.shape(part);
      const std::int64_t run = extents.at(axis) * dense_strides(extents)[axis];
      std::visit(
          [&](auto& values) {
            const auto& source = std::get<std::decay_t<decltype(values)>>(site.literal(part));
            if (std::ssize(source) != run * element_count(outer)) {
              throw Error("joins tensors that do not fit");
            }
            values.insert(values.end(), source.begin() + block * run,
                          source.begin() + (block + 1) * run);
          },
          joined);
    }
  }
  return {joined};
}

std::vector<Literal> tile(const Site& site) {
  const Dims& dims = site.shape(0);
  const Dims& out = site.output_shape(0);
  const Dims strides = dense_strides(dims);
  const Dims out_strides = dense_strides(out);
  std::vector<std::int64_t> from(at(element_count(out)), 0);
  for (std::size_t flat = 0; flat < from.size(); ++flat) {
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
      const std::int64_t index =
          static_cast<std::int64_t>(flat) / out_strides[axis] % out[axis] % dims[axis];
      from[flat] += index * strides[axis];
    }
  }
  return {pick(site.literal(0), from)};
}

}  // namespace

void register_movement(FoldTable& table) {
  table.add("Slice", slice);
  table.add("Transpose", transpose);
  table.add("Expand", expand);
  table.add("Split", split);
  table.add("Gather", gather);
  table.add("Concat", concat);
  table.add("Tile", tile);
}

}  // namespace benanza::onnx::fold
