#include "suites/tests/random/graph.h"

namespace benanza::definitions {

std::vector<float> RandomGraph::numbers(const Dims& dims) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count(dims); ++i) {
    const auto size = static_cast<float>(between(64, 1024)) / 1024;
    values.push_back(chance(2) ? size : -size);
  }
  return values;
}

std::string RandomGraph::input(const Dims& dims) { return given(dims, numbers(dims)); }

std::string RandomGraph::given(const Dims& dims, const std::vector<float>& values) {
  const std::string name = unused("x");
  model.input(name, dims);
  given_[name] = {dims, {values.begin(), values.end()}};
  return name;
}

std::string RandomGraph::given_truths(const Dims& dims, const std::vector<bool>& values) {
  const std::string name = unused("x");
  model.input(name, dims, ::onnx::TensorProto::BOOL);
  given_[name] = {dims, {values.begin(), values.end()}};
  return name;
}

std::string RandomGraph::constant(const Dims& dims, const std::vector<float>& values) {
  const std::string name = unused("c");
  model.reals(name, dims, values);
  return name;
}

std::string RandomGraph::truths(const Dims& dims, const std::vector<bool>& values) {
  const std::string name = unused("c");
  model.truths(name, dims, values);
  return name;
}

std::string RandomGraph::integers(const Dims& values) {
  const std::string name = unused("c");
  model.integers(name, values);
  return name;
}

std::string RandomGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                              onnx::Attributes attributes) {
  const std::string name = unused("n");
  model.node(op, inputs, {name}, attributes);
  return name;
}

std::string RandomGraph::unsqueezed(const std::string& x, std::int64_t axis) {
  if (opset_ < 13) return node("Unsqueeze", {x}, {{"axes", Dims{axis}}});
  return node("Unsqueeze", {x, integers({axis})});
}

std::string RandomGraph::text() const {
  std::string text;
  onnx::Model copy = model;
  for (const auto& node : copy.graph().node()) {
    text += node.output(0) + " = " + node.op_type();
    for (const std::string& input : node.input()) {
      text += ' ' + input;
      const auto found = given_.find(input);
      if (found != given_.end()) text += '(' + join(found->second.dims, 'x') + ')';
    }
    text += '\n';
  }
  return text;
}

std::map<std::string, Tensor> RandomGraph::values() const {
  std::map<std::string, Tensor> values = given_;
  onnx::Model copy = model;
  evaluate(copy.proto(), values);
  return values;
}

std::vector<float> rounded(const Tensor& tensor) {
  return {tensor.values.begin(), tensor.values.end()};
}

}  // namespace benanza::definitions
