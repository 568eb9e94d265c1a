#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace benanza::onnx {

/// Returns a copy of a serialized ModelProto without the values of its weights. A tensor whose
/// values are not kept (see keeps_values and is_mask) loses them and is marked as external
/// (data_location EXTERNAL), without a location. String attributes over 1 MiB become empty, and
/// training_info is dropped. Reads only the bytes that it copies, tags and lengths, so the cost
/// depends on the number of nodes and tensors, not on the size.
///
/// `passed` is called from time to time with an address; all bytes before it have been processed.
///
/// Throws Error, without the model's path, if a part of `model` that it reads is not in protobuf's
/// wire format, or if a small tensor holds far more data than its shape needs.
std::string without_weights(std::string_view model,
                            const std::function<void(const char*)>& passed = {});

}  // namespace benanza::onnx
