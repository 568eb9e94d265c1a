#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Resolves the extents that inference leaves open: to the user's value or, if the operator's
/// output size is data-dependent, to the largest possible extent.
class OpenDimensions {
 public:
  /// The arguments must outlive this.
  OpenDimensions(Program& program, const ResolvedDims& bound, const OperatorTable& operators)
      : program_(program), bound_(bound), operators_(operators) {}

  /// Completes the types of the step's outputs as far as possible. Returns the first assumption
  /// made. Throws FlagError if the user's value exceeds the largest possible extent.
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
  const ResolvedDims& bound_;
  const OperatorTable& operators_;
};

/// The first assumption that the step depends on: through the branch it is in, the tensors it
/// reads, or those it produces, as far as known.
std::optional<std::size_t> first_assumption(const Step& step);

/// The reason for an unsupported step: its assumptions made inference or lowering fail with
/// `error`.
std::string misfit(const std::string& error);

/// One line: the first step that cannot be read, why, and how many there are. Wants one at least.
std::string unreadable_warning(const Program& program);

/// One line: how many dimensions were assumed, the first of them, and how to bind it. Empty if
/// there are none.
std::string assumption_warning(const LoweredGraph& graph, const std::string& where);

/// One line: how many layers produce tensors without a shape although the layers that they read
/// have shapes, the first of them, and how to state its shape. Empty if there are none.
std::string shapeless_warning(const LoweredGraph& graph, const std::string& where);

}  // namespace benanza::onnx
