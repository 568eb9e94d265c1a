#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Which elements of the model's inputs calls read, where each reads a part: keys and values that
/// one tensor holds, for example.
class ReadRegions {
 public:
  /// First elements and those behind the last.
  using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

  ReadRegions(const Program& program, const std::vector<LoweredLayer>& layers)
      : program_(program), layers_(layers) {}

  /// Those parts of inputs that operand `operand` of a call of layer `index` reads, if it says
  /// which; proxies do not.
  void add_operand(std::size_t index, const Call& call, std::size_t operand);
  /// Those that a movement has picked for `value`, a result of its own.
  void add_picked(const Value& value);

  /// By input, each element once.
  std::map<const Value*, std::int64_t> counts() const;

 private:
  /// Elements `from` + i strides of what `value` holds, if that is an input as it is, or several
  /// that were concatenated.
  void add(const Value* value, std::int64_t from, const Dims& dims, const Dims& strides);
  void add_runs(const Value* value, Runs runs);

  const Program& program_;
  const std::vector<LoweredLayer>& layers_;
  std::map<const Value*, Runs> runs_;
};

}  // namespace benanza::onnx
