#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "zoo/dims.h"

namespace benanza::zoo {

/// Adds an attribute without type or value.
onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name);

/// Adds an attribute: an integer, a float, a list of integers.
void set(onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set(onnx::NodeProto& node, const std::string& name, float value);
void set(onnx::NodeProto& node, const std::string& name, const Dims& values);

}  // namespace benanza::zoo
