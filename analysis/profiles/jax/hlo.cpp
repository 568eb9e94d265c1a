#include "analysis/profiles/jax/hlo.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/api_log/entry.h"

namespace benanza::analysis::jax {
namespace {

using api_log::between;
using api_log::integer;
using api_log::trimmed;

/// "4,32,32,8" or, with another separator, "3x3".
std::optional<Dims> numbers(std::string_view text, char separator) {
  Dims values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const auto value = integer(text.substr(0, end));
    if (!value) return std::nullopt;
    values.push_back(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

/// The end of the bracket that opens at `at`.
std::size_t closing(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '{' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == '}' || text[at] == ']') && --depth == 0) return at;
  }
  return text.size();
}

/// "%name" without its mark.
std::string_view plain(std::string_view name) {
  name = trimmed(name);
  if (const auto space = name.rfind(' '); space != name.npos) name.remove_prefix(space + 1);
  if (name.starts_with('%')) name.remove_prefix(1);
  return name;
}

/// "ROOT %dot = f32[4,10]{1,0} dot(%a, %b), lhs_contracting_dims={1}".
std::optional<Instruction> instruction_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  const auto equals = line.find(" = ");
  if (equals == line.npos || line.find(' ') != equals) return std::nullopt;
  Instruction result{.name = std::string(plain(line.substr(0, equals)))};
  line.remove_prefix(equals + 3);
  if (line.starts_with('(')) {
    const std::size_t end = closing(line, 0);
    line.remove_prefix(std::min(end + 1, line.size()));
  } else {
    const auto bracket = line.find('[');
    const auto space = line.find(' ');
    if (bracket == line.npos || space == line.npos || bracket > space) return std::nullopt;
    result.type = line.substr(0, bracket);
    const auto dims = numbers(line.substr(bracket + 1, line.find(']') - bracket - 1), ',');
    if (!dims) return std::nullopt;
    result.dims = *dims;
    line.remove_prefix(space);
  }
  line = trimmed(line);
  const auto open = line.find('(');
  if (open == line.npos) return std::nullopt;
  result.opcode = line.substr(0, open);
  const std::size_t close = closing(line, open);
  std::string_view operands = line.substr(open + 1, close - open - 1);
  while (!operands.empty()) {
    // A type in front of the name may hold commas of its own.
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

/// The value of "name={1}"; empty where it is not there.
Dims list(const Instruction& instruction, std::string_view name) {
  const std::string mark = ' ' + std::string(name) + "={";
  return numbers(between(instruction.attributes, mark, "}"), ',').value_or(Dims{});
}

/// Sizes by what the letters of dim_labels say: "b01f" of {4, 32, 16, 3} is {4, 3, 32, 16}.
std::optional<Dims> in_order(std::string_view labels, const Dims& dims, char first, char second) {
  if (labels.size() != dims.size()) return std::nullopt;
  Dims result;
  const auto take = [&](char letter) {
    const auto at = labels.find(letter);
    if (at != labels.npos) result.push_back(dims[at]);
  };
  take(first);
  take(second);
  for (char letter = '0'; letter <= '9'; ++letter) take(letter);
  return result.size() == dims.size() ? std::optional(result) : std::nullopt;
}

/// The forward convolution of "window={size=3x3 stride=2x2 pad=1_1x1_1}".
std::string convolution_key(const Instruction& call, const Dims& input, const Dims& kernel) {
  const std::string_view window = between(call.attributes, "window={", "}");
  const auto field = [&](std::string_view name) {
    for (auto at = window.find(name); at != window.npos; at = window.find(name, at + 1)) {
      if (at == 0 || window[at - 1] == ' ') return between(window.substr(at), "=", " ");
    }
    return std::string_view();
  };
  const std::size_t axes = input.size() - 2;
  const auto sizes = [&](std::string_view name) -> std::optional<Dims> {
    const std::string_view text = field(name);
    if (text.empty()) return Dims(axes, 1);
    const auto values = numbers(text, 'x');
    return values && values->size() == axes ? values : std::nullopt;
  };
  const auto strides = sizes("stride");
  const auto dilations = sizes("rhs_dilate");
  const auto input_dilations = sizes("lhs_dilate");
  if (!strides || !dilations || input_dilations != Dims(axes, 1) ||
      !field("rhs_reversal").empty() ||
      call.attributes.find("batch_group_count=") != std::string::npos) {
    return "";
  }
  Dims begins;
  Dims ends;
  std::string_view pads = field("pad");
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::string_view one = pads.substr(0, pads.find('x'));
    begins.push_back(integer(one).value_or(0));
    const auto line = one.find('_');
    ends.push_back(line == one.npos ? 0 : integer(one.substr(line + 1)).value_or(0));
    pads.remove_prefix(std::min(one.size() + 1, pads.size()));
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  return api_log::key_of(Convolution{.input = input,
                                     .filters = kernel[0],
                                     .window = {.kernel = Dims(kernel.begin() + 2, kernel.end()),
                                                .pads = begins,
                                                .strides = *strides,
                                                .dilations = *dilations},
                                     .groups = kernel[1] > 0 ? input[1] / kernel[1] : 1});
}

Part convolution(const Instruction& call, const Instruction* input, const Instruction* kernel) {
  Part part{.op = "Conv"};
  const std::string_view labels = between(call.attributes, "dim_labels=", ", ");
  const auto line = labels.find('_');
  const auto arrow = labels.find("->");
  if (input == nullptr || kernel == nullptr || line == labels.npos || arrow == labels.npos) {
    return part;
  }
  const auto x = in_order(labels.substr(0, line), input->dims, 'b', 'f');
  const auto w = in_order(labels.substr(line + 1, arrow - line - 1), kernel->dims, 'o', 'i');
  const auto y = in_order(labels.substr(arrow + 2), call.dims, 'b', 'f');
  if (y) part.output = *y;
  if (x && w && x->size() >= 3) part.problem = convolution_key(call, *x, *w);
  return part;
}

Part product(const Instruction& call, const Instruction* a, const Instruction* b) {
  Part part{.op = "MatMul", .output = call.dims};
  if (a == nullptr || b == nullptr) return part;
  const Dims batch = list(call, "lhs_batch_dims");
  const Dims over_a = list(call, "lhs_contracting_dims");
  const Dims over_b = list(call, "rhs_contracting_dims");
  const auto axes = static_cast<std::int64_t>(batch.size());
  Dims leading;
  for (std::int64_t axis = 0; axis < axes; ++axis) leading.push_back(axis);
  if (over_a.size() != 1 || over_b.size() != 1 || batch != leading ||
      list(call, "rhs_batch_dims") != leading ||
      static_cast<std::int64_t>(a->dims.size()) != axes + 2 ||
      static_cast<std::int64_t>(b->dims.size()) != axes + 2 || over_a[0] < axes ||
      over_b[0] < axes) {
    return part;
  }
  const bool transpose_a = over_a[0] == axes;
  const bool transpose_b = over_b[0] == axes + 1;
  const auto at = [](const Dims& dims, std::int64_t axis) {
    return dims[static_cast<std::size_t>(axis)];
  };
  Gemm gemm;
  gemm.m = at(a->dims, transpose_a ? axes + 1 : axes);
  gemm.k = at(a->dims, over_a[0]);
  gemm.n = at(b->dims, transpose_b ? axes : axes + 1);
  gemm.transpose_a = transpose_a;
  gemm.transpose_b = transpose_b;
  gemm.batch_a = gemm.batch_b = Dims(a->dims.begin(), a->dims.begin() + axes);
  part.problem = api_log::key_of(gemm);
  return part;
}

}  // namespace

Program::Program(std::string_view text) {
  std::string computation;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('{') && !line.starts_with(' ')) {
      std::string_view name = line;
      if (name.starts_with("ENTRY ")) name.remove_prefix(6);
      computation = plain(name.substr(0, name.find(' ')));
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

std::vector<Part> Program::parts(std::string_view name) const {
  std::vector<Part> parts;
  if (const Instruction* const instruction = find(name)) add_parts(*instruction, 0, parts);
  return parts;
}

void Program::add_parts(const Instruction& instruction, int depth, std::vector<Part>& parts) const {
  const auto operand = [&](std::size_t at) {
    return at < instruction.operands.size() ? find(instruction.operands[at]) : nullptr;
  };
  if (instruction.opcode == "convolution") {
    parts.push_back(convolution(instruction, operand(0), operand(1)));
  } else if (instruction.opcode == "dot") {
    parts.push_back(product(instruction, operand(0), operand(1)));
  }
  constexpr int deepest = 8;
  if (depth == deepest || (instruction.opcode != "fusion" && instruction.opcode != "call")) return;
  for (const std::string_view mark : {"calls=", "to_apply="}) {
    const std::string_view called = plain(between(instruction.attributes, mark, ", "));
    const auto inside = computations_.find(called);
    if (called.empty() || inside == computations_.end()) continue;
    for (const std::string& name : inside->second) add_parts(*find(name), depth + 1, parts);
  }
}

}  // namespace benanza::analysis::jax
