#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace benanza::zoo {

/// Extents of a tensor, outermost first: batch, channels, height, width.
using Dims = std::vector<std::int64_t>;

/// Product of `dims`; 1 for a scalar.
std::int64_t element_count(const Dims& dims);

/// "1x64x56x56"; empty for a scalar.
std::string to_string(const Dims& dims);

/// Adds an attribute without type or value.
::onnx::AttributeProto& add_attribute(::onnx::NodeProto& node, const std::string& name);

/// Adds an integer, float or integer-list attribute.
void set(::onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set(::onnx::NodeProto& node, const std::string& name, float value);
void set(::onnx::NodeProto& node, const std::string& name, const Dims& values);
/// Adds a list of floats. Not an overload of set(), for which a braced list of integers would be
/// ambiguous.
void set_floats(::onnx::NodeProto& node, const std::string& name, const std::vector<float>& values);

}  // namespace benanza::zoo
