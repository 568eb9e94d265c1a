#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "generator/tests/onnx/model.h"
#include "suites/tests/random/definitions.h"

namespace benanza::definitions {

/// A model under construction, with values for everything that is given. Equal seeds make equal
/// models on every machine.
class RandomGraph {
 public:
  RandomGraph(int opset, std::uint64_t seed) : model(opset), opset_(opset), random_(seed) {}

  int opset() const { return opset_; }
  /// 0 ... count - 1.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(count));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }
  bool chance(std::int64_t one_in) { return below(one_in) == 0; }
  template <class Value>
  const Value& one_of(const std::vector<Value>& all) {
    return all[static_cast<std::size_t>(below(std::ssize(all)))];
  }
  /// Numbers of fp32 between -1 and 1, never within a sixteenth of 0.
  std::vector<float> numbers(const Dims& dims);

  std::string unused(const std::string& start) { return start + std::to_string(next_++); }
  /// An input of the model with random values.
  std::string input(const Dims& dims);
  std::string given(const Dims& dims, const std::vector<float>& values);
  std::string given_truths(const Dims& dims, const std::vector<bool>& values);
  /// Constants.
  std::string constant(const Dims& dims, const std::vector<float>& values);
  std::string truths(const Dims& dims, const std::vector<bool>& values);
  std::string integers(const Dims& values);
  std::string number(float value) { return constant({}, {value}); }
  /// Returns the node's output.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   onnx::Attributes attributes = {});
  std::string transposed(const std::string& x, const Dims& perm) {
    return node("Transpose", {x}, {{"perm", perm}});
  }
  std::string reshaped(const std::string& x, const Dims& dims) {
    return node("Reshape", {x, integers(dims)});
  }
  /// Before opset 13 the axes are an attribute.
  std::string unsqueezed(const std::string& x, std::int64_t axis);

  /// The nodes, one a line, with the extents of what is given.
  std::string text() const;
  /// Every tensor of the model, by its definition.
  std::map<std::string, Tensor> values() const;

  onnx::Model model;

 private:
  int opset_;
  std::mt19937_64 random_;
  int next_ = 0;
  std::map<std::string, Tensor> given_;
};

/// As fp32, as calls get them.
std::vector<float> rounded(const Tensor& tensor);

}  // namespace benanza::definitions
