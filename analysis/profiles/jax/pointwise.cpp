#include "analysis/profiles/jax/pointwise.h"

#include <algorithm>
#include <string_view>

#include "analysis/profiles/jax/arithmetic.h"
#include "analysis/profiles/jax/chain.h"
#include "analysis/profiles/jax/text.h"
#include "core/base/text.h"
#include "core/problem/problem.h"

namespace benanza::analysis::jax {
namespace {

bool is_source(std::string_view opcode) {
  return opcode == "parameter" || opcode == "constant" || opcode == "iota";
}

/// Types of one byte, which the suites have no elementwise calls for.
bool is_byte(const Instruction& value) {
  return value.type == "pred" || value.type == "s8" || value.type == "u8" ||
         value.type.starts_with("f8");
}

/// Twice as long as the longest type that problems are of.
bool is_double(const Instruction& value) { return value.type == "f64" || value.type == "c64"; }

/// In elements; of bytes as if four were one, and of longer types as if they were several.
std::int64_t size_of(const Instruction& value) {
  const std::int64_t elements = element_count(value.dims);
  if (value.type == "c128") return 4 * elements;
  if (is_double(value) || value.type == "s64" || value.type == "u64") return 2 * elements;
  if (value.type == "s4" || value.type == "u4") return elements / 8;
  if (value.type == "s16" || value.type == "u16") return elements / 2;
  return is_byte(value) ? elements / 4 : elements;
}

/// Why no problem describes the computation: "elementwise work on f64". Empty if one may: it has
/// floats of 32 bits or fewer, reads and writes bytes alone, or only moves.
std::string type_refusal(const Body& body) {
  std::vector<const Instruction*> values = body.tensors();
  values.push_back(&body.root());
  std::string integer;
  for (const Instruction* const value : values) {
    if (!is_byte(*value) && element_count(value->dims) > 1) integer = value->type;
  }
  values.insert(values.end(), body.instructions().begin(), body.instructions().end());
  const bool computes = std::ranges::any_of(body.instructions(), [](const Instruction* value) {
    return !moves(value->opcode) && !is_source(value->opcode);
  });
  if (!computes) return "";
  bool has_floats = false;
  for (const Instruction* const value : values) {
    if (element_count(value->dims) < 2) continue;
    const bool is_long = is_double(*value) || value->type == "c128";
    if (is_long) return "elementwise work on " + value->type;
    has_floats = has_floats || is_short_float(value->type);
  }
  return has_floats || integer.empty() ? "" : "elementwise work on " + integer;
}

/// A copy that reads and writes together as much as the body reads, at most as much as it writes,
/// and writes.
std::string copy_of(const Body& body) {
  const std::int64_t written = size_of(body.root());
  std::int64_t read = 0;
  for (const Instruction* const tensor : body.tensors()) read += size_of(*tensor);
  return key_of(Copy{{(written + std::min(read, written)) / 2}, {1}, {1}});
}

/// The least that an elementwise call of these tensors takes.
std::string least_of(const Body& body) {
  const Dims& result = body.root().dims;
  const auto tensors = body.tensors();
  const auto whole = std::ranges::count_if(tensors, [&](const Instruction* tensor) {
    return element_count(tensor->dims) == element_count(result) && !is_byte(*tensor);
  });
  if (whole == 0 || is_byte(body.root())) return copy_of(body);
  if (whole == 1) return key_of(Activation{.input = result, .kind = ActivationKind::relu});
  Problem problem{.shape = Binary{.kind = BinaryKind::add, .a = result, .b = result},
                  .epilogue = {}};
  for (std::int64_t further = 2; further < whole; ++further) {
    problem.epilogue.steps.emplace_back(Combine{.kind = CombineKind::add, .y = result});
  }
  return key_or_nothing(problem);
}

/// The one operation of the computation named by to_apply, "maximum", beside conversions. Empty if
/// there are several.
std::string_view applied(const Program& program, const Instruction& instruction) {
  auto inside = program.called(instruction, "to_apply=");
  std::erase_if(inside, [](const Instruction* value) {
    return value->opcode == "parameter" || value->opcode == "convert";
  });
  return inside.size() == 1 ? std::string_view(inside.front()->opcode) : std::string_view();
}

std::optional<Part> pooling(const Program& program, const Body& body, const Instruction& call) {
  const std::string_view operation = applied(program, call);
  const Instruction* const image = body.operand(call, 0);
  if ((operation != "maximum" && operation != "add") || image == nullptr) return std::nullopt;
  const std::size_t rank = image->dims.size();
  const auto sizes = window_sizes(call.attributes, "size", rank);
  const auto steps = window_sizes(call.attributes, "stride", rank);
  auto [begins, ends] = window_pads(call.attributes, rank);
  if (rank < 3 || !sizes || !steps || call.dims.size() != rank || sizes->front() != 1 ||
      !window_field(call.attributes, "lhs_dilate").empty() ||
      !window_field(call.attributes, "rhs_dilate").empty()) {
    return std::nullopt;
  }
  // A running sum has a window over all that came before; libraries do not pool for it.
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (2 * std::max(begins[axis], ends[axis]) > (*sizes)[axis]) return std::nullopt;
  }
  Dims kernel = *sizes;
  Dims strides = *steps;
  Dims input = image->dims;
  Dims output = call.dims;
  // Channels come second in a problem.
  if (kernel[1] != 1) {
    for (Dims* const dims : {&input, &output, &kernel, &strides, &begins, &ends}) {
      std::rotate(dims->begin() + 1, dims->end() - 1, dims->end());
    }
  }
  if (kernel[1] != 1 || strides[0] != 1 || strides[1] != 1) return std::nullopt;
  const auto image_of = [](const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); };
  Dims pads = image_of(begins);
  const Dims after = image_of(ends);
  pads.insert(pads.end(), after.begin(), after.end());
  const bool is_max = operation == "maximum";
  return Part{.op = is_max ? "MaxPool" : "AveragePool",
              .problem = key_of(
                  Pooling{.input = input,
                          .window = {.kernel = image_of(kernel),
                                     .pads = pads,
                                     .strides = image_of(strides),
                                     .dilations = Dims(rank - 2, 1)},
                          .mode = is_max ? PoolingMode::max : PoolingMode::average_include_pad}),
              .output = output};
}

std::optional<Part> reduction(const Program& program, const Body& body, const Instruction& call) {
  const std::string_view operation = applied(program, call);
  const Instruction* const input = body.operand(call, 0);
  auto axes = numbers(text::between(call.attributes, "dimensions={", "}"), ',');
  if ((operation != "maximum" && operation != "add") || input == nullptr || !axes) {
    return std::nullopt;
  }
  // Products that are summed in the same computation are larger than what is read.
  const bool is_read = std::ranges::any_of(body.tensors(), [&](const Instruction* tensor) {
    return element_count(tensor->dims) == element_count(input->dims) && !is_byte(*tensor);
  });
  if (!is_read) {
    return Part{
        .op = "Elementwise", .problem = copy_of(body), .output = call.dims, .optional = true};
  }
  std::ranges::sort(*axes);
  const bool is_max = operation == "maximum";
  Reduction shape{.kind = is_max ? ReductionKind::max : ReductionKind::sum,
                  .input = input->dims,
                  .axes = *axes};
  return Part{.op = is_max ? "ReduceMax" : "ReduceSum",
              .problem = key_of(shape),
              .output = call.dims,
              .optional = true};
}

/// A conversion between fp32 and a type of 16 bits, and nothing else but movement.
std::optional<Part> conversion(const Body& body) {
  const Instruction* convert = nullptr;
  for (const Instruction* const value : body.instructions()) {
    if (!is_pointwise(value->opcode)) continue;
    if (value->opcode != "convert" || convert != nullptr) return std::nullopt;
    convert = value;
  }
  const Instruction* const from = convert == nullptr ? nullptr : body.operand(*convert, 0);
  const auto is_short = [](const Instruction& value) {
    return value.type == "f16" || value.type == "bf16";
  };
  if (from == nullptr) return std::nullopt;
  const bool widens = is_short(*from) && convert->type == "f32";
  if (!widens && !(from->type == "f32" && is_short(*convert))) return std::nullopt;
  const Dims& result = body.root().dims;
  return Part{.op = "Cast",
              .problem = key_of(Cast{.input = result, .widens = widens}),
              .output = result,
              .optional = true};
}

/// Functions and movement only.
std::optional<Part> elementwise(const Body& body) {
  const Instruction& root = body.root();
  Part part{.op = "Elementwise", .output = root.dims, .optional = true};
  bool computes = false;
  for (const Instruction* const value : body.instructions()) {
    computes = computes || is_pointwise(value->opcode);
  }
  if (!computes) {
    const auto turns = [](const Instruction* value) { return value->opcode == "transpose"; };
    part.op = std::ranges::any_of(body.instructions(), turns) ? "Transpose" : "Copy";
    part.problem = copy_of(body);
    return part;
  }
  if (const auto cast = conversion(body)) return cast;
  if (auto call = pointwise_call(body)) {
    part.op = std::move(call->op);
    part.problem = std::move(call->problem);
  } else {
    part.problem = least_of(body);
  }
  return part;
}

/// Whatever its types are.
std::optional<Part> part_of(const Program& program, const Body& body) {
  const Instruction* reduce = nullptr;
  // Several windows one after the other (a running sum) are no pooling.
  const auto windows = std::ranges::count_if(body.instructions(), [](const Instruction* value) {
    return value->opcode == "reduce-window";
  });
  if (windows > 1) return std::nullopt;
  for (const Instruction* const value : body.instructions()) {
    const std::string_view opcode = value->opcode;
    if (opcode == "reduce-window") return pooling(program, body, *value);
    if (opcode == "reduce" && reduce == nullptr) reduce = value;
    if (opcode != "reduce" && !is_pointwise(opcode) && !moves(opcode) && !is_source(opcode)) {
      return std::nullopt;
    }
  }
  const auto is_larger = [&](const Instruction* tensor) {
    return element_count(tensor->dims) > element_count(body.root().dims);
  };
  // A reduction whose result is as large as what it reads, or is written beside it, is more than a
  // reduction (a softmax).
  if (reduce != nullptr && std::ranges::any_of(body.tensors(), is_larger)) {
    return reduction(program, body, *reduce);
  }
  return elementwise(body);
}

/// The shortest of the floats that are read and written, bytes aside. Without floats, elements are
/// moved as those of fp32.
Precision shortest_floats(const Body& body) {
  std::vector<const Instruction*> all = body.tensors();
  all.push_back(&body.root());
  const auto has = [&](std::string_view type) {
    return std::ranges::any_of(all, [&](const Instruction* one) { return one->type == type; });
  };
  if (has("bf16")) return Precision::bf16;
  return has("f16") ? Precision::fp16 : Precision::fp32;
}

}  // namespace

std::optional<ToldPart> pointwise_part(const Program& program, const Instruction& instruction) {
  if (is_source(instruction.opcode) || instruction.dims.empty()) return std::nullopt;
  const Body body(program, instruction);
  if (body.root().dims.empty()) return std::nullopt;
  auto part = part_of(program, body);
  if (!part) return std::nullopt;
  ToldPart told{.part = std::move(*part), .remark = type_refusal(body)};
  if (!told.remark.empty()) told.part.problem.clear();
  if (!told.part.problem.empty()) told.part.precision = shortest_floats(body);
  return told;
}

}  // namespace benanza::analysis::jax
