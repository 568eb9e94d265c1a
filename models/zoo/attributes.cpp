#include "models/zoo/attributes.h"

#include <functional>
#include <numeric>

namespace benanza::zoo {

std::int64_t element_count(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Dims& dims) {
  std::string text;
  for (const std::int64_t extent : dims) {
    text += text.empty() ? "" : "x";
    text += std::to_string(extent);
  }
  return text;
}

::onnx::AttributeProto& add_attribute(::onnx::NodeProto& node, const std::string& name) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  return attribute;
}

void set(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  ::onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(::onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void set(::onnx::NodeProto& node, const std::string& name, float value) {
  ::onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(::onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

void set(::onnx::NodeProto& node, const std::string& name, const Dims& values) {
  ::onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(::onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
}

void set_floats(::onnx::NodeProto& node, const std::string& name,
                const std::vector<float>& values) {
  ::onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(::onnx::AttributeProto::FLOATS);
  attribute.mutable_floats()->Add(values.begin(), values.end());
}

}  // namespace benanza::zoo
