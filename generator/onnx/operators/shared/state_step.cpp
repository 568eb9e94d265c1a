#include "generator/onnx/operators/shared/state_step.h"

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {
namespace {

/// The calls of one step.
class StateCalls {
 public:
  StateCalls(const StateStep& step, std::vector<Call>& calls) : step_(step), calls_(calls) {}

  void add(int state_output) {
    const auto check = [&](std::int64_t few, const char* whose) {
      if (few >= 1 && (step_.heads % few == 0 || few % step_.heads == 0)) return;
      throw Error(std::to_string(few) + " heads of " + whose + " for " +
                  std::to_string(step_.heads) + " states");
    };
    check(step_.query_heads, "queries");
    check(step_.key_heads, "keys");
    if (step_.key_heads > step_.heads) throw Error("more heads of keys than of values");
    std::optional<Source> state = step_.state;
    if (state && step_.decay) state = decayed(*state);
    Source change = product_of_key(added_value(state));
    if (state) {
      const Dims dims = step_.states();
      change =
          push(elementwise_call(BinaryKind::add, {dims, false, *state}, {dims, false, change}));
    }
    calls_.back().output = state_output;
    result(change);
  }

 private:
  Source push(Call call) { return add_call(calls_, std::move(call)); }

  /// One matrix for each state.
  Dims matrices(std::int64_t rows, std::int64_t columns) const {
    return {step_.batch, step_.heads, rows, columns};
  }
  /// The same of `few` heads, and of states that share these.
  Dims of_few(std::int64_t few, std::int64_t rows, std::int64_t columns) const {
    return {step_.batch, few, 1, rows, columns};
  }
  Dims sharing(std::int64_t few, std::int64_t rows, std::int64_t columns) const {
    return {step_.batch, few, step_.heads / few, rows, columns};
  }
  std::int64_t state_rows() const { return step_.value_rows ? step_.value_size : step_.key_size; }
  std::int64_t state_columns() const {
    return step_.value_rows ? step_.key_size : step_.value_size;
  }

  Source decayed(const Source& state) {
    const std::int64_t keys = step_.decay_of_each_key ? step_.key_size : 1;
    const Dims factor = step_.value_rows ? matrices(1, keys) : matrices(keys, 1);
    const Source grown = push(function_call(factor, ActivationKind::exp, *step_.decay));
    return push(
        elementwise_call(BinaryKind::mul, {step_.states(), false, state}, {factor, false, grown}));
  }

  /// A row of each head times the state.
  Source times_state(std::int64_t few, const Source& rows, const Source& state) {
    return push(product_call(of_few(few, 1, step_.key_size), rows,
                             sharing(few, state_rows(), state_columns()), state, false, false,
                             step_.value_rows));
  }

  /// With a rate, that part of the value which the state does not have.
  Source added_value(const std::optional<Source>& state) {
    Source value = step_.value;
    if (!step_.rate) return value;
    const Dims dims = matrices(1, step_.value_size);
    if (state) {
      const Source known = times_state(step_.key_heads, step_.key, *state);
      value = push(elementwise_call(BinaryKind::sub, {dims, false, value}, {dims, false, known}));
    }
    return push(elementwise_call(BinaryKind::mul, {dims, false, value},
                                 {{step_.batch, step_.rate_heads, 1, 1}, false, *step_.rate}));
  }

  /// Each element of the key times each one of `value`.
  Source product_of_key(const Source& value) {
    const std::int64_t few = step_.key_heads;
    if (step_.value_rows) {
      return push(product_call(sharing(few, step_.value_size, 1), value,
                               of_few(few, 1, step_.key_size), step_.key, false));
    }
    return push(product_call(of_few(few, step_.key_size, 1), step_.key,
                             sharing(few, 1, step_.value_size), value, false));
  }

  void result(const Source& state) {
    Source query = step_.query;
    query.scale = step_.scale;
    if (step_.query_heads <= step_.heads) {
      times_state(step_.query_heads, query, state);
      return;
    }
    push(product_call(matrices(step_.query_heads / step_.heads, step_.key_size), query,
                      step_.states(), state, false, false, step_.value_rows));
  }

  const StateStep& step_;
  std::vector<Call>& calls_;
};

}  // namespace

Dims StateStep::states() const {
  if (value_rows) return {batch, heads, value_size, key_size};
  return {batch, heads, key_size, value_size};
}

void StateStep::add_calls(std::vector<Call>& calls, int state_output) const {
  StateCalls(*this, calls).add(state_output);
}

}  // namespace benanza::onnx
