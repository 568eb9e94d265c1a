#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>
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

/// For GroupQueryAttention with a cache of whose rows the model states as many before as after the
/// node: new keys and values join it in the room that it has. Gives such nodes these rows as the
/// tokens that the cache holds in the end, as an attribute; a total that is known goes before it.
void state_shared_caches(::onnx::GraphProto& graph);
inline constexpr std::string_view shared_cache_attribute = "benanza.shared_cache";

}  // namespace benanza::onnx
