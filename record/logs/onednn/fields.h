#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "record/logs/shared/call_text.h"

/// The fields of oneDNN's verbose log, versions 2 and 3.
namespace benanza::record::onednn {

/// A tensor: "src_f32::blocked:abcd:f0" (2.x), "src_f32:a:blocked:abcd:64x1:f0" (3.x),
/// "src:f32:a:blocked:abcd::f0" (3.3 and later).
struct TensorText {
  /// "src".
  std::string name{};
  /// "f32"; "undef" if the call has no such tensor.
  std::string type{};
  /// "blocked".
  std::string format{};
  /// "abcd", "aBcd16b": the axes from the outermost; upper case if split into blocks.
  std::string tag{};
  /// In elements, in the order of the axes; empty if the tensor is dense, and in versions that do
  /// not print strides.
  Dims strides{};
  /// "f0" if the tensor has no other flags.
  std::string flags{};
};
std::vector<TensorText> read_tensors(std::string_view memory);

/// A call split into its fields.
/// The precision of data of an oneDNN type; empty if there is none.
std::optional<Precision> precision_of(std::string_view type);

struct CallFields {
  CallText text{};
  std::vector<TensorText> tensors{};

  explicit CallFields(const CallText& call);
  /// Returns the first tensor of the call that has one of these names; null if there is none.
  const TensorText* tensor(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return tensor({name}) != nullptr; }
  bool is_backward() const { return text.prop_kind.starts_with("backward"); }
  /// A value of a list such as "alg:pooling_max axis:1", by its name ("alg"); empty if absent. It
  /// counts as taken into account.
  std::optional<std::string> auxiliary(std::string_view name) const;
  /// The first of that list that nobody asked for: "alpha:0.5". Empty if there is none.
  std::string unread_auxiliary() const;
  std::optional<double> number(std::string_view name) const;
  /// Parses "1x64x56x56:1x64x1x1". Throws std::invalid_argument if an extent is not a number.
  std::vector<Dims> tensors_of_problem() const;
  /// Parses "mb1_ic64oc64_ih56": letters, each followed by a number. Throws std::invalid_argument.
  std::map<std::string, double> numbers_of_problem() const;
  /// The type of the operands, taken from the first tensor; empty if the call lists none.
  std::string_view type() const;
  /// The precision of the operands; empty if no precision has their type.
  std::optional<Precision> precision() const;
  /// True if one of the tensors is a view with gaps between its elements.
  bool is_strided() const;
  /// Whether the result's type does not go with that of the first operand.
  bool has_other_result() const;

 private:
  mutable std::set<std::string, std::less<>> read_{};
};

/// What of a call no problem says, "weights of s4": operands of several types, sparse tensors,
/// attributes that change the result or the arithmetic. Empty if there is nothing. Not checked: the
/// scales and zero points of 8-bit calls, which their problems have, and post-operations.
std::string unsaid_of(const CallFields& call);

/// A step applied to the call's result; a sum into the result's own memory is an addition.
struct PostOperation {
  std::string kind{};
  /// The values after the kind: 0 and 6 in "eltwise_clip:0:6".
  std::vector<std::string> values{};
};
std::vector<PostOperation> read_post_operations(std::string_view attributes);

/// Translates "eltwise_relu" and its parameters; empty if no Activation is equivalent.
std::optional<Activation> activation(std::string_view algorithm, float alpha, float beta);

}  // namespace benanza::record::onednn
