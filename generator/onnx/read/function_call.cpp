#include "generator/onnx/read/function_call.h"

#include <set>

namespace benanza::onnx {

std::string missing_in(const ::onnx::NodeProto& call, const ::onnx::FunctionProto& function) {
  if (call.input_size() > function.input_size()) {
    return "takes " + std::to_string(function.input_size()) + " inputs, not " +
           std::to_string(call.input_size());
  }
  std::set<std::string> made{""};
  for (const std::string& input : function.input()) made.insert(input);
  for (const ::onnx::NodeProto& node : function.node()) {
    for (const std::string& output : node.output()) made.insert(output);
  }
  for (const ::onnx::NodeProto& node : function.node()) {
    for (const std::string& input : node.input()) {
      if (!made.contains(input)) return "reads \"" + input + "\", which nothing makes";
    }
  }
  for (int index = 0; index < call.output_size(); ++index) {
    if (call.output(index).empty()) continue;
    if (index >= function.output_size()) {
      return "makes " + std::to_string(function.output_size()) + " outputs, not " +
             std::to_string(call.output_size());
    }
    if (!made.contains(function.output(index))) {
      return "does not make \"" + function.output(index) + '"';
    }
  }
  return "";
}

}  // namespace benanza::onnx
