#include "analysis/profiles/jax/hlo.h"

#include <algorithm>
#include <optional>

#include "analysis/profiles/jax/convolution.h"
#include "analysis/profiles/jax/pointwise.h"
#include "analysis/profiles/jax/text.h"
#include "core/base/text.h"
#include "core/problem/problem.h"

namespace benanza::analysis::jax {
namespace {

using text::between;
using text::integer;
using text::trimmed;

/// Returns the position of the bracket that closes the one at `at`.
std::size_t closing(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '{' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == '}' || text[at] == ']') && --depth == 0) return at;
  }
  return text.size();
}

/// Parses "ROOT %dot = f32[4,10]{1,0} dot(%a, %b), lhs_contracting_dims={1}".
std::optional<Instruction> instruction_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  const auto equals = line.find(" = ");
  if (equals == line.npos || line.find(' ') != equals) return std::nullopt;
  Instruction result{.name = std::string(plain(line.substr(0, equals)))};
  line.remove_prefix(equals + 3);
  const bool is_tuple = line.starts_with('(');
  const std::string_view type = is_tuple ? line.substr(1) : line;
  const auto bracket = type.find('[');
  const auto dims = bracket == type.npos
                        ? std::nullopt
                        : numbers(type.substr(bracket + 1, type.find(']') - bracket - 1), ',');
  if (dims) {
    result.type = type.substr(0, bracket);
    result.dims = *dims;
  }
  if (is_tuple) {
    const std::size_t end = closing(line, 0);
    line.remove_prefix(std::min(end + 1, line.size()));
  } else {
    const auto space = line.find(' ');
    if (!dims || space == line.npos || bracket > space) return std::nullopt;
    line.remove_prefix(space);
  }
  line = trimmed(line);
  const auto open = line.find('(');
  if (open == line.npos) return std::nullopt;
  result.opcode = line.substr(0, open);
  const std::size_t close = closing(line, open);
  std::string_view operands = line.substr(open + 1, close - open - 1);
  while (!operands.empty()) {
    // A type before the name may contain commas.
    std::size_t end = 0;
    int depth = 0;
    for (; end < operands.size() && (depth > 0 || operands[end] != ','); ++end) {
      if (operands[end] == '[' || operands[end] == '{' || operands[end] == '(') ++depth;
      if (operands[end] == ']' || operands[end] == '}' || operands[end] == ')') --depth;
    }
    result.operands.emplace_back(plain(operands.substr(0, end)));
    operands.remove_prefix(std::min(end + 1, operands.size()));
  }
  if (close < line.size()) result.attributes = line.substr(close + 1);
  return result;
}

/// Returns the value of "name={1}"; empty if absent.
Dims list(const Instruction& instruction, std::string_view name) {
  const std::string mark = ' ' + std::string(name) + "={";
  return numbers(between(instruction.attributes, mark, "}"), ',').value_or(Dims{});
}

/// The batch and contracting axes of a product's operand.
struct Axes {
  Dims batch{};
  Dims over{};
};

/// An operand's batch, its free extent and its contracted one, and whether the latter comes first.
/// side_of() is empty if there are more than these.
struct Side {
  Dims batch{};
  std::int64_t rows = 0;
  std::int64_t sum = 0;
  bool sum_first = false;
};
std::optional<Side> side_of(const Dims& dims, const Axes& axes) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto at = [&](std::int64_t axis) { return dims[static_cast<std::size_t>(axis)]; };
  Side side;
  for (const std::int64_t axis : axes.batch) {
    if (axis < 0 || axis >= rank) return std::nullopt;
    side.batch.push_back(at(axis));
  }
  if (axes.over.size() != 1 || dims.size() != axes.batch.size() + 2) return std::nullopt;
  const std::int64_t over = axes.over.front();
  if (over < 0 || over >= rank) return std::nullopt;
  side.sum = at(over);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool is_batch = std::ranges::find(axes.batch, axis) != axes.batch.end();
    if (is_batch || axis == over) continue;
    side.rows = at(axis);
    side.sum_first = over < axis;
  }
  return side.rows > 0 ? std::optional(side) : std::nullopt;
}

Part product(const Instruction& call, const Instruction* a, const Instruction* b,
             const Axes& axes_a, const Axes& axes_b) {
  Part part{.op = "MatMul", .output = call.dims};
  if (a == nullptr || b == nullptr) return part;
  const auto left = side_of(a->dims, axes_a);
  const auto right = side_of(b->dims, axes_b);
  if (!left || !right || left->batch != right->batch) return part;
  Gemm gemm;
  gemm.m = left->rows;
  gemm.k = left->sum;
  gemm.n = right->rows;
  gemm.transpose_a = left->sum_first;
  gemm.transpose_b = !right->sum_first;
  gemm.batch_a = gemm.batch_b = left->batch;
  part.problem = key_of(gemm);
  return part;
}

/// Returns the value of "name":["0","1"] in the backend configuration of a library call.
Dims setting(const Instruction& instruction, std::string_view name) {
  const std::string mark = '"' + std::string(name) + "\":[";
  std::string text(between(instruction.attributes, mark, "]"));
  std::erase(text, '"');
  return numbers(text, ',').value_or(Dims{});
}

void refuse(Part& part, std::string reason) {
  part.problem.clear();
  part.reason = std::move(reason);
}

/// The problem with what a library's call does to its result, or without if none does that.
void add_epilogue(const Instruction& call, Part& part) {
  if (part.problem.empty()) return;
  const LibraryEpilogue found = library_epilogue(call);
  if (!found.unsaid.empty()) return refuse(part, found.unsaid);
  Problem problem = parse(part.problem);
  problem.epilogue = found.epilogue;
  part.problem = key(problem);
}

}  // namespace

std::optional<Precision> precision_of_type(std::string_view type) {
  if (type == "f32") return Precision::fp32;
  if (type == "f16") return Precision::fp16;
  if (type == "bf16") return Precision::bf16;
  if (type == "s8") return Precision::int8;
  return type == "f8e4m3fn" ? std::optional(Precision::fp8) : std::nullopt;
}

Program::Program(std::string_view text) {
  std::string computation;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (constexpr std::string_view mark = "HloModule "; line.starts_with(mark)) {
      name_ = line.substr(mark.size(), line.find_first_of(", ", mark.size()) - mark.size());
    } else if (line.ends_with('{') && !line.starts_with(' ')) {
      std::string_view name = line;
      const bool is_entry = name.starts_with("ENTRY ");
      if (is_entry) name.remove_prefix(6);
      computation = plain(name.substr(0, name.find(' ')));
      if (is_entry) entry_ = computation;
    } else if (auto instruction = instruction_of(line); instruction && !computation.empty()) {
      computations_[computation].push_back(instruction->name);
      std::string name = instruction->name;
      instructions_.insert_or_assign(std::move(name), std::move(*instruction));
    }
  }
}

const Instruction* Program::find(std::string_view name) const {
  const auto found = instructions_.find(name);
  return found == instructions_.end() ? nullptr : &found->second;
}

std::vector<std::string> Program::products() const {
  std::vector<std::string> found;
  const auto entry = computations_.find(entry_);
  if (entry == computations_.end()) return found;
  for (const std::string& name : entry->second) {
    const bool multiplies = std::ranges::any_of(parts(name), [](const Part& part) {
      return part.op == "Conv" || part.op == "MatMul" || part.op == "ConvTranspose";
    });
    if (multiplies) found.push_back(name);
  }
  return found;
}

std::set<std::string> Program::product_types() const {
  std::set<std::string> types;
  for (const auto& [name, instruction] : instructions_) {
    const std::string_view target = between(instruction.attributes, "custom_call_target=\"", "\"");
    const bool is_product = instruction.opcode == "dot" || instruction.opcode == "convolution" ||
                            target.starts_with("__cublas$") || target.starts_with("__cudnn$conv");
    if (!is_product || instruction.operands.empty()) continue;
    if (const Instruction* const factor = find(instruction.operands.front())) {
      types.insert(factor->type);
    }
  }
  return types;
}

std::vector<Part> Program::parts(std::string_view name) const {
  std::vector<Part> parts;
  const Instruction* const instruction = find(name);
  if (instruction == nullptr) return parts;
  add_parts(*instruction, 0, parts);
  if (parts.empty()) {
    if (auto part = pointwise_part(*this, *instruction)) parts.push_back(std::move(*part));
  }
  return parts;
}

std::vector<const Instruction*> Program::called(const Instruction& instruction,
                                                std::string_view mark) const {
  const auto inside = computations_.find(plain(between(instruction.attributes, mark, ", ")));
  std::vector<const Instruction*> all;
  if (inside == computations_.end()) return all;
  for (const std::string& name : inside->second) all.push_back(find(name));
  return all;
}

const Instruction* Program::padding_of(const Instruction& value) const {
  if (value.opcode == "pad") return value.operands.empty() ? nullptr : &value;
  if (value.opcode != "fusion") return nullptr;
  // The last instruction is the result; the others are its parameter and a zero.
  const std::vector<const Instruction*> inside = called(value, "calls=");
  if (inside.size() != 3) return nullptr;
  const Instruction* const root = inside.back();
  if (root->opcode != "pad" || root->operands.empty()) return nullptr;
  const Instruction* const input = find(root->operands.front());
  return input != nullptr && input->opcode == "parameter" ? root : nullptr;
}

void Program::account_for_types(const Instruction& call, Part& part) const {
  if (part.problem.empty() || call.operands.size() < 2) return;
  const Instruction* const a = find(call.operands[0]);
  const Instruction* const b = find(call.operands[1]);
  if (a == nullptr || b == nullptr) return;
  part.precision = precision_of_type(a->type);
  if (a->type != b->type) return refuse(part, "operands of " + a->type + " and " + b->type);
  if (!part.precision) return refuse(part, "operands of " + a->type);
  // A product may hand out its sums, which are of more bits.
  const bool is_of_bytes = part.precision == Precision::int8;
  const bool is_sum = call.type == (is_of_bytes ? "s32" : "f32");
  const bool is_float = precision_of_type(call.type).has_value();
  if (!is_sum && !is_float) refuse(part, "a result of " + call.type);
}

Part Program::convolution(const Instruction& call) const {
  Part part = forward_or_gradient(call);
  account_for_types(call, part);
  return part;
}

/// A forward convolution or one of its gradients; labels and window are always the forward pass'.
Part Program::forward_or_gradient(const Instruction& call) const {
  const auto operand = [&](std::size_t at) {
    return at < call.operands.size() ? find(call.operands[at]) : nullptr;
  };
  const std::string_view target = between(call.attributes, "custom_call_target=\"", "\"");
  const bool of_input = target == "__cudnn$convBackwardInput";
  const bool of_kernel = target == "__cudnn$convBackwardFilter";
  Part part{.op = of_input ? "ConvTranspose" : "Conv"};
  const auto labels = labels_of(call);
  const Instruction* image = of_input ? &call : operand(0);
  const Instruction* const kernel = of_kernel ? &call : operand(1);
  if (!labels || image == nullptr || kernel == nullptr) return part;
  const auto y = in_order(of_input    ? labels->input
                          : of_kernel ? labels->kernel
                                      : labels->output,
                          call.dims, of_kernel ? 'o' : 'b', of_kernel ? 'i' : 'f');
  if (y) part.output = *y;
  Pads pads{Dims(image->dims.size()), Dims(image->dims.size())};
  if (const Instruction* const padding = of_input ? nullptr : padding_of(*image)) {
    const auto around = image_pads(between(padding->attributes, " padding=", ", "), labels->input);
    const Instruction* const inner = find(padding->operands.front());
    if (around && inner != nullptr) {
      pads = *around;
      image = inner;
    }
  }
  const auto x = in_order(labels->input, image->dims, 'b', 'f');
  const auto w = in_order(labels->kernel, kernel->dims, 'o', 'i');
  if (!x || !w) return part;
  const auto transposed = transposed_convolution(call, *x, *w);
  if (transposed && transposed->output() == part.output) {
    part.op = "ConvTranspose";
    part.problem = key_of(*transposed);
    return part;
  }
  if (const auto gradient = filter_gradient(call, *x, *w, part.output)) {
    part.problem = key_of(*gradient);
    return part;
  }
  const auto forward = convolution_of(call, *x, *w, pads);
  if (!forward) return part;
  if (of_kernel) {
    part.problem = key_of(ConvolutionFilterGradient{*forward});
  } else if (of_input) {
    part.problem = key_of(data_gradient(*forward));
  } else {
    part.problem = key_of(*forward);
    add_epilogue(call, part);
  }
  return part;
}

/// A call of cuDNN, cuBLAS or cuBLASLt.
Part Program::library_call(const Instruction& call) const {
  const std::string_view target = between(call.attributes, "custom_call_target=\"", "\"");
  if (target.starts_with("__cudnn$conv")) return convolution(call);
  if (!target.starts_with("__cublas$")) return {};
  const auto operand = [&](std::size_t at) {
    return at < call.operands.size() ? find(call.operands[at]) : nullptr;
  };
  Part part =
      product(call, operand(0), operand(1),
              {setting(call, "lhs_batch_dimensions"), setting(call, "lhs_contracting_dimensions")},
              {setting(call, "rhs_batch_dimensions"), setting(call, "rhs_contracting_dimensions")});
  add_epilogue(call, part);
  account_for_types(call, part);
  return part;
}

void Program::add_parts(const Instruction& instruction, int depth, std::vector<Part>& parts) const {
  const auto operand = [&](std::size_t at) {
    return at < instruction.operands.size() ? find(instruction.operands[at]) : nullptr;
  };
  if (instruction.opcode == "convolution") {
    parts.push_back(convolution(instruction));
  } else if (instruction.opcode == "dot") {
    parts.push_back(
        product(instruction, operand(0), operand(1),
                {list(instruction, "lhs_batch_dims"), list(instruction, "lhs_contracting_dims")},
                {list(instruction, "rhs_batch_dims"), list(instruction, "rhs_contracting_dims")}));
    account_for_types(instruction, parts.back());
  } else if (instruction.opcode == "custom-call") {
    Part part = library_call(instruction);
    if (!part.op.empty()) parts.push_back(std::move(part));
  }
  constexpr int deepest = 8;
  if (depth == deepest || (instruction.opcode != "fusion" && instruction.opcode != "call")) return;
  for (const std::string_view mark : {"calls=", "to_apply="}) {
    for (const Instruction* const inner : called(instruction, mark)) {
      add_parts(*inner, depth + 1, parts);
    }
  }
}

}  // namespace benanza::analysis::jax
