#include <onnx/onnx_pb.h>

#include <algorithm>

#include "generator/onnx/largest/table.h"

/// Operators that keep some of what they are given: at most all of it.
namespace benanza::onnx::largest {
namespace {

std::int64_t elements(const Site& site, std::size_t index) {
  const auto count = checked_element_count(site.shape(index));
  if (!count) throw NotExpressible("more elements than a tensor holds");
  return *count;
}

std::vector<std::optional<Largest>> nonzero(const Site& site) {
  const auto rank = static_cast<std::int64_t>(site.shape(0).size());
  return {Largest{::onnx::TensorProto::INT64, {rank, elements(site, 0)}, {1}}};
}

/// The distinct slices along an axis, or elements; where each was first, where each input went, and
/// how often each was there.
std::vector<std::optional<Largest>> unique(const Site& site) {
  constexpr int positions = ::onnx::TensorProto::INT64;
  const Dims& dims = site.shape(0);
  if (!site.node().has("axis")) {
    const std::int64_t count = elements(site, 0);
    return {Largest{site.input(0).type, {count}, {0}}, Largest{positions, {count}, {0}},
            Largest{positions, {count}, {}}, Largest{positions, {count}, {0}}};
  }
  const auto axis =
      static_cast<std::size_t>(Site::axis(site.node().integer("axis", 0), dims.size()));
  return {Largest{site.input(0).type, dims, {axis}}, Largest{positions, {dims[axis]}, {0}},
          Largest{positions, {dims[axis]}, {}}, Largest{positions, {dims[axis]}, {0}}};
}

std::vector<std::optional<Largest>> compress(const Site& site) {
  const std::int64_t conditions = elements(site, 1);
  if (!site.node().has("axis")) {
    return {Largest{site.input(0).type, {std::min(elements(site, 0), conditions)}, {0}}};
  }
  Dims dims = site.shape(0);
  const auto axis =
      static_cast<std::size_t>(Site::axis(site.node().integer("axis", 0), dims.size()));
  dims[axis] = std::min(dims[axis], conditions);
  return {Largest{site.input(0).type, dims, {axis}}};
}

/// Values and positions; how many is an input.
std::vector<std::optional<Largest>> top_k(const Site& site) {
  const Dims& dims = site.shape(0);
  const auto axis =
      static_cast<std::size_t>(Site::axis(site.node().integer("axis", -1), dims.size()));
  return {Largest{site.input(0).type, dims, {axis}},
          Largest{::onnx::TensorProto::INT64, dims, {axis}}};
}

}  // namespace

void register_select(LargestTable& table) {
  table.add("NonZero", nonzero);
  table.add("Unique", unique);
  table.add("Compress", compress);
  table.add("TopK", top_k);
}

}  // namespace benanza::onnx::largest
