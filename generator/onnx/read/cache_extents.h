#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace benanza::onnx {

/// An extent of a tensor that the operator reading it determines.
struct ImpliedExtent {
  std::string tensor{};
  int axis = 0;
  std::int64_t extent = 0;
};

/// The extents of caches of keys and values that attention operators determine: their heads, the
/// size of a head, and the rows of a window's cache. Those that need a shape which the graph does
/// not state are left out.
std::vector<ImpliedExtent> cache_extents(const ::onnx::GraphProto& graph);

}  // namespace benanza::onnx
