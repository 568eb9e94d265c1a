#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "core/recording/recording.h"

/// The fields of oneDNN's log, of versions 2 and 3.
namespace benanza::recorded {

/// A tensor: "src_f32::blocked:abcd:f0" (2.x), "src_f32:a:blocked:abcd:64x1:f0" (3.x),
/// "src:f32:a:blocked:abcd::f0" (3.3 and later).
struct TensorText {
  /// "src".
  std::string name{};
  /// "f32"; "undef" where the call has no such tensor.
  std::string type{};
  /// "blocked".
  std::string format{};
  /// "abcd", "aBcd16b": axes from the outermost, upper case where they are split into blocks.
  std::string tag{};
  /// In elements, of the axes in their order; empty where the tensor is dense, and in versions that
  /// do not tell.
  Dims strides{};
  /// "f0" where the tensor holds nothing else.
  std::string flags{};
};
std::vector<TensorText> read_tensors(std::string_view memory);

/// The fields of a call, taken apart.
struct CallFields {
  CallText text{};
  std::vector<TensorText> tensors{};

  explicit CallFields(const CallText& call);
  /// The first tensor of one of these names that the call has; null for none.
  const TensorText* tensor(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return tensor({name}) != nullptr; }
  bool is_backward() const { return text.prop_kind.starts_with("backward"); }
  /// "alg:pooling_max axis:1": the value of "alg"; nothing where it is not there.
  std::optional<std::string> auxiliary(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  /// "1x64x56x56:1x64x1x1". Throws std::invalid_argument where an extent is no number.
  std::vector<Dims> tensors_of_problem() const;
  /// "mb1_ic64oc64_ih56": letters and the number behind them. Throws std::invalid_argument.
  std::map<std::string, double> numbers_of_problem() const;
  /// The precision of the operands: the first tensor's; nothing for types that none has.
  std::optional<Precision> precision() const;
  /// Is one of the tensors a view that leaves elements out?
  bool is_strided() const;
};

/// A step behind the call's result; a sum into the result's own memory is an addition.
struct PostOperation {
  std::string kind{};
  /// What follows it: "eltwise_clip:0:6" has 0 and 6.
  std::vector<std::string> values{};
};
std::vector<PostOperation> read_post_operations(std::string_view attributes);

/// "eltwise_relu" with its parameters; nothing for functions that no Activation is.
std::optional<Activation> activation(std::string_view algorithm, float alpha, float beta);

}  // namespace benanza::recorded
