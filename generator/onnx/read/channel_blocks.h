#pragma once

#include <onnx/onnx_pb.h>

#include <string_view>

namespace benanza::onnx {

/// For ONNX Runtime's blocked layout, whose blocks have 8 or 16 channels, by the CPU that the file
/// was written on. Gives ReorderInput nodes the number as an attribute: 16 if the weights of all
/// blocked convolutions have whole blocks of 16, otherwise 8.
void state_channel_blocks(::onnx::GraphProto& graph);
inline constexpr std::string_view channel_block_attribute = "benanza.channel_block";

}  // namespace benanza::onnx
