#pragma once

#include <onnx/onnx_pb.h>

#include <string_view>

namespace benanza::onnx {

/// For GroupQueryAttention with a cache of whose rows the model states as many before as after the
/// node: new keys and values join it in the room that it has. Gives such nodes these rows as the
/// tokens that the cache holds in the end, as an attribute; a total that is known goes before it.
void state_shared_caches(::onnx::GraphProto& graph);
inline constexpr std::string_view shared_cache_attribute = "benanza.shared_cache";

}  // namespace benanza::onnx
