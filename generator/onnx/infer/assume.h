#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Gives extents to what inference leaves open: what the user says about the dimension, else, where
/// the operator selects by the data, the largest possible.
class OpenDimensions {
 public:
  /// All must outlive this.
  OpenDimensions(Program& program, const Bound& bound, const OperatorTable& operators)
      : program_(program), bound_(bound), operators_(operators) {}

  /// Completes the types of the step's outputs as far as can be. Returns the first assumption that
  /// it made. Throws Error if the user says more than there can be.
  std::optional<std::size_t> settle(const Step& step, std::vector<::onnx::TypeProto>& types);

 private:
  using Limits = std::vector<std::optional<MaxShape>>;
  std::optional<std::size_t> take_max_shapes(const Step& step,
                                             std::vector<::onnx::TypeProto>& types);
  void take_stated(const Step& step, std::size_t output, ::onnx::TypeProto& type);
  std::optional<std::int64_t> stated(const Step& step, std::size_t output, std::size_t axis);
  std::optional<std::int64_t> stated(const Step& step, const Limits& results, std::size_t output,
                                     std::size_t axis);

  Program& program_;
  const Bound& bound_;
  const OperatorTable& operators_;
};

/// The first assumption that the step rests on: by the branch it is in, and by the tensors that it
/// reads and, as far as they are known, makes.
std::optional<std::size_t> first_assumption(const Program& program, const Step& step);

/// Why a step that rests on assumptions is not expressed: inference or lowering found `error`.
std::string misfit(const std::string& error);

/// One line: how many dimensions were assumed, the first of them, and how to bind them. Empty if
/// there are none.
std::string assumption_warning(const LoweredGraph& graph, const std::string& where);

/// One line: how many layers make tensors without a shape though all that they read have one, the
/// first of them, and how to state it. Empty if there are none.
std::string shapeless_warning(const LoweredGraph& graph, const std::string& where);

}  // namespace benanza::onnx
