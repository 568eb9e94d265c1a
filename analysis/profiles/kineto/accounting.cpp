#include "analysis/profiles/kineto/accounting.h"

#include <string>

namespace benanza::analysis::kineto {
namespace {

/// An argument without effect: none, false, or one whose value the trace does not have.
bool is_default(const Argument& argument) {
  return argument.dims.empty() && argument.list.empty() &&
         (argument.value.empty() || argument.value == "False" || argument.value == "false" ||
          argument.value == "[]");
}

/// Where an operator with `out=` writes to.
bool is_destination(const Call& call, std::size_t index, const std::vector<Part>& parts) {
  const Dims dims = call.peek(index).dims;
  return index + 1 == call.size() && !dims.empty() && !parts.empty() && dims == parts.back().output;
}

/// Why the arguments do not fit; empty if they do.
std::string unread_argument(const Call& call, const Entry& entry, const std::vector<Part>& parts) {
  for (std::size_t index = 0; index < call.size(); ++index) {
    const bool has_no_effect = index < 32 && (entry.no_effect >> index & 1U) != 0;
    const Argument argument = call.peek(index);
    if (call.has_read(index) || has_no_effect || is_default(argument) ||
        is_destination(call, index, parts)) {
      continue;
    }
    const std::string number = "argument " + std::to_string(index + 1);
    return argument.value.empty() ? number + " is a tensor" : number + " is " + argument.value;
  }
  return "";
}

/// The type of the tensors that count; an error if they are of several, or of one without keys.
struct TensorType {
  std::optional<Precision> precision{};
  std::string fault{};
};

TensorType type_of(const Call& call, Types types) {
  std::string_view found;
  for (std::size_t index = 0; index < call.size(); ++index) {
    const Argument argument = call.peek(index);
    if (argument.dims.empty() || argument.type.empty()) continue;
    const std::string_view type = call.type(index);
    if (!found.empty() && types == Types::of_first) break;
    if (!found.empty() && found != type) {
      return {.precision = {},
              .fault = "tensors of " + std::string(found) + " and " + std::string(type)};
    }
    found = type;
  }
  if (found.empty()) return {};
  if (const auto precision = precision_of_type(found)) return {.precision = precision, .fault = {}};
  return {.precision = {}, .fault = "tensors of " + std::string(found)};
}

}  // namespace

std::optional<Precision> precision_of_type(std::string_view type) {
  if (type == "float") return Precision::fp32;
  if (type == "c10::Half") return Precision::fp16;
  if (type == "c10::BFloat16") return Precision::bf16;
  return std::nullopt;
}

std::optional<Precision> precision_of_number(std::int64_t type) {
  constexpr std::int64_t half = 5;
  constexpr std::int64_t single = 6;
  constexpr std::int64_t bfloat16 = 15;
  if (type == half) return Precision::fp16;
  if (type == single) return Precision::fp32;
  if (type == bfloat16) return Precision::bf16;
  return std::nullopt;
}

void account_for(const Call& call, const Entry& entry, std::vector<Part>& parts) {
  const TensorType type = type_of(call, entry.types);
  const std::string unread = unread_argument(call, entry, parts);
  for (Part& part : parts) {
    // Parts that state their own precision know of the types.
    const std::string& reason = unread.empty() && !part.precision ? type.fault : unread;
    if (!reason.empty()) part.whole.clear();
    if (part.problem.empty() && part.whole.empty()) continue;
    if (reason.empty()) {
      if (!part.precision) part.precision = type.precision;
      continue;
    }
    part.problem.clear();
    part.precision.reset();
    part.reason = reason;
  }
}

std::vector<Part> conversion_before(const Call& call, std::size_t type) {
  const auto stated = call.integer(type);
  const auto to = stated ? precision_of_number(*stated) : std::nullopt;
  const auto from = precision_of_type(call.type(0));
  if (!stated || (from && from == to)) return {};
  Part cast = plain("Cast", call.dims(0));
  if (from && to && (*from == Precision::fp32) != (*to == Precision::fp32)) {
    const Cast shape{.input = call.dims(0), .widens = *to == Precision::fp32};
    cast = part("Cast", std::optional(shape), call.dims(0));
  }
  cast.precision = from == Precision::fp32 ? to : from;
  return {std::move(cast)};
}

std::vector<Part> converted(const Call& call, std::size_t type, std::vector<Part> parts) {
  std::vector<Part> all = conversion_before(call, type);
  if (all.empty()) return parts;
  const auto to = precision_of_number(call.integer(type).value_or(-1));
  for (Part& part : parts) {
    part.precision = to;
    if (!to) part.problem.clear();
    if (!to) part.reason = "a result of another type";
    all.push_back(std::move(part));
  }
  return all;
}

}  // namespace benanza::analysis::kineto
