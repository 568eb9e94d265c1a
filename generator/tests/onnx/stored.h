#pragma once

#include <string>
#include <vector>

#include "generator/tests/onnx/model.h"

/// Parts of models as they are deployed.
namespace benanza::onnx {

/// A stored tensor of any type, without values.
inline Model& stored(Model& model, const std::string& name, const Dims& dims, int type) {
  model.weights(name, dims);
  auto* tensor = model.graph().mutable_initializer(model.graph().initializer_size() - 1);
  tensor->clear_raw_data();
  tensor->clear_float_data();
  tensor->set_data_type(type);
  tensor->set_data_location(::onnx::TensorProto::EXTERNAL);
  auto* where = tensor->add_external_data();
  where->set_key("location");
  where->set_value("weights.bin");
  return model;
}

/// A node of ONNX Runtime's domain.
inline void add_microsoft(Model& model, const std::string& op,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, Attributes attributes = {}) {
  model.node(op, inputs, outputs, attributes).last().set_domain("com.microsoft");
}

}  // namespace benanza::onnx
