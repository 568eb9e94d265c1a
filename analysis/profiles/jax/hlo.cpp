#include "analysis/profiles/jax/hlo.h"

#include <algorithm>
#include <optional>

#include "analysis/profiles/jax/arithmetic.h"
#include "analysis/profiles/jax/pointwise.h"
#include "analysis/profiles/jax/products.h"
#include "analysis/profiles/jax/text.h"
#include "core/base/text.h"

namespace benanza::analysis::jax {
namespace {

using text::between;
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

}  // namespace

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

std::set<std::string> Program::product_precisions() const {
  std::set<std::string> precisions;
  for (const auto& [name, instruction] : instructions_) {
    if (instruction.operands.empty() || !product_part(*this, instruction, false)) continue;
    if (const Instruction* const factor = find(instruction.operands.front())) {
      precisions.merge(possible_precisions(instruction, factor->type));
    }
  }
  return precisions;
}

std::vector<ToldPart> Program::told_parts(std::string_view name) const {
  std::vector<ToldPart> parts;
  const Instruction* const instruction = find(name);
  if (instruction == nullptr) return parts;
  add_products(*instruction, 0, parts);
  if (parts.empty()) {
    if (auto part = pointwise_part(*this, *instruction)) parts.push_back(std::move(*part));
  }
  for (ToldPart& told : parts) {
    if (told.part.problem.empty()) told.part.reason = told.remark;
  }
  return parts;
}

std::vector<Part> Program::parts(std::string_view name) const {
  std::vector<Part> parts;
  for (ToldPart& told : told_parts(name)) parts.push_back(std::move(told.part));
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

void Program::add_products(const Instruction& instruction, int depth,
                           std::vector<ToldPart>& parts) const {
  if (auto told = product_part(*this, instruction, depth > 0)) {
    const Instruction* const factor =
        instruction.operands.empty() ? nullptr : find(instruction.operands.front());
    const bool has_type = factor != nullptr && !told->part.problem.empty();
    if (has_type) told->part.precision = precision_of_type(factor->type);
    parts.push_back(std::move(*told));
  }
  constexpr int deepest = 8;
  if (depth == deepest || (instruction.opcode != "fusion" && instruction.opcode != "call")) return;
  for (const std::string_view mark : {"calls=", "to_apply="}) {
    for (const Instruction* const inner : called(instruction, mark)) {
      add_products(*inner, depth + 1, parts);
    }
  }
}

}  // namespace benanza::analysis::jax
