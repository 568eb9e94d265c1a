#include "core/base/error.h"
#include "generator/onnx/movement.h"

/// Operators that pick or place by indices. Where the indices are known and evenly spaced, the copy
/// moves exactly what the node does; else it stands for the node: as many elements, in one run.
namespace benanza::onnx::lower {
namespace {

/// First index and step of evenly spaced indices.
struct Progression {
  std::int64_t first;
  std::int64_t step;
};

std::optional<Progression> progression(const Site& site, std::int64_t extent) {
  if (!site.input(1).literal) return std::nullopt;
  Dims indices = site.integers(1);
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

Lowered gather(const Site& site) {
  const Dims& dims = site.shape(0);
  const auto axis =
      static_cast<std::size_t>(Site::axis(site.node().integer("axis", 0), dims.size()));
  const std::int64_t extent = dims[axis];
  const std::int64_t count = element_count(site.shape(1));
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::int64_t inner = dense_strides(dims)[axis];
  View from{{element_count(outer), count, inner}, {extent * inner, inner, 1}, 0};
  const auto known = progression(site, extent);
  if (known) {
    if (known->first == 0 && known->step == 1 && count == extent) {
      return free_layer("picks everything in order");
    }
    from.strides[1] = known->step * inner;
    from.offset = known->first * inner;
  } else if (count > extent) {
    from.strides[1] = 0;
  }
  Call result = copy_call(from, dense_view(from.dims));
  result.is_proxy = !known;
  return movement({result});
}

/// One element, or one run of elements, for every index.
Lowered gather_any(const Site& site) {
  return movement({stand_in(site, element_count(site.output_shape(0)))});
}

/// A copy of the data, with the updates put in their places.
Lowered scatter(const Site& site) {
  if (site.node().text("reduction", "none") != "none") {
    throw NotExpressible("updates that are combined with what is there");
  }
  return movement({stand_in(site, element_count(site.shape(0))),
                   stand_in(site, element_count(site.shape(2)), 2)});
}

/// A cache with new rows in it.
Lowered scatter_rows(const Site& site) {
  return movement({stand_in(site, element_count(site.shape(0))),
                   stand_in(site, element_count(site.shape(1)), 1)});
}

}  // namespace

void register_gather(LoweringTable& table) {
  table.add("Gather", gather);
  for (const auto* op : {"GatherElements", "GatherND"}) table.add(op, gather_any);
  table.add("TensorScatter", scatter_rows);
  for (const auto* op : {"Scatter", "ScatterElements", "ScatterND"}) table.add(op, scatter);
}

}  // namespace benanza::onnx::lower
