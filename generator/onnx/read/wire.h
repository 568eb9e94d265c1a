#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace benanza::onnx {

/// A copy of a serialized ModelProto without the values of its weights: a tensor that does not keep
/// its values (keeps_values) is left with name, type and shape, and says that its data lie
/// elsewhere (data_location EXTERNAL) without saying where; so do byte attributes over 1 MiB lose
/// their bytes, and training_info goes. Looks only at the bytes it copies and at tags and lengths,
/// so the cost follows the number of nodes and tensors, not the size.
///
/// `passed` is told, from time to time, before which address everything is done.
///
/// Throws Error, without saying where, if `model` is not in protobuf's wire format as far as it is
/// looked at, or if a small tensor holds far more than fills its shape.
std::string without_weights(std::string_view model,
                            const std::function<void(const char*)>& passed = {});

}  // namespace benanza::onnx
