#include "analysis/profiles/jax/chain.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "analysis/profiles/jax/text.h"
#include "core/base/text.h"

namespace benanza::analysis::jax {
namespace {

constexpr std::string_view movements[] = {"transpose",   "copy",      "bitcast",
                                          "reshape",     "broadcast", "slice",
                                          "concatenate", "pad",       "reverse"};
/// Those that are no Function or Combination below.
constexpr std::string_view other_functions[] = {
    "negate",  "rsqrt",   "cbrt",   "tan", "not",         "is-finite", "exponential-minus-one",
    "convert", "compare", "select", "and", "or",          "xor",       "remainder",
    "clamp",   "atan2",   "power",  "map", "log-plus-one"};

template <class Words>
bool is_one_of(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

struct Function {
  std::string_view opcode;
  ActivationKind kind;
  std::string_view op;
};
constexpr Function functions[] = {{"exponential", ActivationKind::exp, "Exp"},
                                  {"log", ActivationKind::log, "Log"},
                                  {"tanh", ActivationKind::tanh, "Tanh"},
                                  {"logistic", ActivationKind::sigmoid, "Sigmoid"},
                                  {"sqrt", ActivationKind::sqrt, "Sqrt"},
                                  {"abs", ActivationKind::abs, "Abs"},
                                  {"erf", ActivationKind::erf, "Erf"},
                                  {"floor", ActivationKind::floor, "Floor"},
                                  {"ceil", ActivationKind::ceil, "Ceil"},
                                  {"round-nearest-even", ActivationKind::round, "Round"},
                                  {"sign", ActivationKind::sign, "Sign"},
                                  {"sine", ActivationKind::sin, "Sin"},
                                  {"cosine", ActivationKind::cos, "Cos"}};

struct Combination {
  std::string_view opcode;
  CombineKind kind;
  BinaryKind binary;
  std::string_view op;
};
constexpr Combination combinations[] = {{"add", CombineKind::add, BinaryKind::add, "Add"},
                                        {"subtract", CombineKind::sub, BinaryKind::sub, "Sub"},
                                        {"multiply", CombineKind::mul, BinaryKind::mul, "Mul"},
                                        {"divide", CombineKind::div, BinaryKind::div, "Div"},
                                        {"maximum", CombineKind::max, BinaryKind::max, "Max"},
                                        {"minimum", CombineKind::min, BinaryKind::min, "Min"}};

template <class Row, std::size_t size>
const Row* row_of(const Row (&table)[size], std::string_view opcode) {
  const auto found = std::ranges::find(table, opcode, &Row::opcode);
  return found == std::end(table) ? nullptr : &*found;
}

/// A number, a tensor, or steps that one call does to a tensor.
struct Chain {
  std::optional<float> number{};
  const Instruction* tensor = nullptr;
  /// Extents of the tensor in the rank of the result.
  Dims extents{};
  std::vector<benanza::Step> steps{};
  std::set<const Instruction*> read{};
};

std::optional<float> number_of(const Instruction& constant) {
  if (constant.operands.size() != 1 || element_count(constant.dims) != 1) return std::nullopt;
  return text::number<float>(constant.operands.front());
}

/// The step of an operation with a number; `number_first`: number - x, number / x.
std::optional<benanza::Step> step_with(std::string_view opcode, float number, bool number_first) {
  const auto linear = [](float alpha, float beta) {
    return Activation{.input = {}, .kind = ActivationKind::linear, .alpha = alpha, .beta = beta};
  };
  if (opcode == "add") return linear(1, number);
  if (opcode == "subtract") return number_first ? linear(-1, number) : linear(1, -number);
  if (opcode == "multiply") return linear(number, 0);
  if (opcode == "divide" && !number_first && number != 0) return linear(1 / number, 0);
  if (opcode == "maximum" && number == 0) {
    return Activation{.input = {}, .kind = ActivationKind::relu};
  }
  if (opcode == "power" && !number_first) {
    return Activation{.input = {}, .kind = ActivationKind::pow, .alpha = number};
  }
  return std::nullopt;
}

/// Reads a computation as one chain of steps.
class Reader {
 public:
  explicit Reader(const Body& body) : body_(body), result_(body.root().dims) {}

  std::optional<Chain> chain(const Instruction& value) {
    if (const auto known = chains_.find(&value); known != chains_.end()) return known->second;
    // Where a text refers to itself, too.
    chains_.emplace(&value, std::nullopt);
    return chains_[&value] = read(value);
  }

 private:
  std::optional<Chain> read(const Instruction& value) {
    if (value.opcode == "constant" || body_.is_read(value)) return leaf(value);
    const auto first = operand(value, 0);
    if (!first) return std::nullopt;
    if (value.opcode == "broadcast") return broadcast(value, *first);
    if (moves(value.opcode)) return moved(value, *first);
    if (const Function* const function = row_of(functions, value.opcode)) {
      // A stated accuracy is another function than the library's.
      const bool is_usual = value.attributes.find("result_accuracy=") == std::string::npos;
      if (first->number || !is_usual) return std::nullopt;
      Chain result = *first;
      result.steps.emplace_back(Activation{.input = {}, .kind = function->kind});
      return result;
    }
    const auto second = operand(value, 1);
    if (!second || value.operands.size() != 2) return std::nullopt;
    return combined(value.opcode, *first, *second);
  }

  std::optional<Chain> operand(const Instruction& value, std::size_t at) {
    const Instruction* const operand = body_.operand(value, at);
    return operand == nullptr ? std::nullopt : chain(*operand);
  }

  std::optional<Chain> leaf(const Instruction& value) const {
    if (const auto number = value.opcode == "constant" ? number_of(value) : std::nullopt) {
      return Chain{.number = number};
    }
    Chain result{.tensor = &value, .read = {&value}};
    if (element_count(value.dims) == element_count(result_)) result.extents = result_;
    return result;
  }

  /// "dimensions={1}": where the axes of the operand are in the result.
  std::optional<Chain> broadcast(const Instruction& value, Chain chain) const {
    if (chain.number) return chain;
    if (!chain.steps.empty() || value.dims != result_) return std::nullopt;
    const auto places =
        numbers(text::between(value.attributes, "dimensions={", "}"), ',').value_or(Dims{});
    const Dims& from = chain.tensor->dims;
    if (places.size() != from.size()) return std::nullopt;
    chain.extents.assign(result_.size(), 1);
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
      const auto place = static_cast<std::size_t>(places[axis]);
      if (place >= result_.size() || from[axis] != result_[place]) return std::nullopt;
      chain.extents[place] = from[axis];
    }
    return chain;
  }

  /// A whole tensor in another order is the same to an elementwise call; a broadcast one is not.
  std::optional<Chain> moved(const Instruction& value, Chain chain) const {
    const bool is_whole = chain.number || chain.extents == result_;
    if (!is_whole || value.operands.size() != 1) return std::nullopt;
    if (element_count(value.dims) != element_count(result_)) return std::nullopt;
    return chain;
  }

  std::optional<Chain> combined(std::string_view opcode, const Chain& a, const Chain& b) const {
    if (a.number && b.number) return std::nullopt;
    if (a.number || b.number) {
      const auto step = step_with(opcode, a.number ? *a.number : *b.number, a.number.has_value());
      if (!step) return std::nullopt;
      Chain result = a.number ? b : a;
      result.steps.push_back(*step);
      return result;
    }
    const Combination* const found = row_of(combinations, opcode);
    const bool a_leads = a.extents == result_ && b.steps.empty();
    const bool b_leads = b.extents == result_ && a.steps.empty();
    if (found == nullptr || (!a_leads && !b_leads)) return std::nullopt;
    Chain result = a_leads ? a : b;
    const Chain& other = a_leads ? b : a;
    if (other.extents.empty()) return std::nullopt;
    for (const Instruction* const tensor : other.read) {
      if (!result.read.insert(tensor).second) return std::nullopt;
    }
    // oneDNN 2.6 takes 19 to 65 times as long as XLA for y - f(x): no bound may rest on that.
    const bool has_order = found->kind == CombineKind::sub || found->kind == CombineKind::div;
    if (!a_leads && has_order) return std::nullopt;
    result.steps.emplace_back(Combine{.kind = found->kind, .y = other.extents});
    return result;
  }

  const Body& body_;
  const Dims& result_;
  std::map<const Instruction*, std::optional<Chain>> chains_;
};

/// "Relu" of a single step.
std::string name_of(const benanza::Step& step) {
  if (const auto* combine = std::get_if<Combine>(&step)) {
    return std::string(std::ranges::find(combinations, combine->kind, &Combination::kind)->op);
  }
  const ActivationKind kind = std::get<Activation>(step).kind;
  if (kind == ActivationKind::relu) return "Relu";
  if (kind == ActivationKind::pow) return "Pow";
  const auto found = std::ranges::find(functions, kind, &Function::kind);
  return found == std::end(functions) ? "Mul" : std::string(found->op);
}

/// The chain as a problem: its first step is the operator, the others follow in the same call.
std::string problem_of(const Chain& chain, const Dims& result) {
  const benanza::Step& first = chain.steps.front();
  Problem problem;
  problem.epilogue.steps.assign(chain.steps.begin() + 1, chain.steps.end());
  if (const auto* function = std::get_if<Activation>(&first)) {
    Activation shape = *function;
    shape.input = result;
    problem.shape = shape;
    return key_or_nothing(problem);
  }
  const auto& combine = std::get<Combine>(first);
  const auto kind = std::ranges::find(combinations, combine.kind, &Combination::kind)->binary;
  problem.shape = Binary{.kind = kind, .a = result, .b = combine.y};
  return key_or_nothing(problem);
}

}  // namespace

Body::Body(const Program& program, const Instruction& instruction)
    : program_(program), inside_(program.called(instruction, "calls=")) {
  if (inside_.empty()) inside_.push_back(&instruction);
}

bool Body::is_read(const Instruction& value) const {
  return value.opcode == "parameter" || std::ranges::find(inside_, &value) == inside_.end();
}

const Instruction* Body::operand(const Instruction& value, std::size_t at) const {
  return at < value.operands.size() ? program_.find(value.operands[at]) : nullptr;
}

std::vector<const Instruction*> Body::tensors() const {
  std::vector<const Instruction*> found;
  for (const Instruction* const value : inside_) {
    if (value->opcode == "parameter") found.push_back(value);
    for (std::size_t at = 0; at < value->operands.size(); ++at) {
      const Instruction* const read = operand(*value, at);
      if (read != nullptr && is_read(*read)) found.push_back(read);
    }
  }
  std::erase_if(found, [](const Instruction* value) { return element_count(value->dims) < 2; });
  std::ranges::sort(found);
  const auto [first, last] = std::ranges::unique(found);
  found.erase(first, last);
  return found;
}

bool moves(std::string_view opcode) { return is_one_of(movements, opcode); }

bool is_pointwise(std::string_view opcode) {
  return row_of(functions, opcode) != nullptr || row_of(combinations, opcode) != nullptr ||
         is_one_of(other_functions, opcode);
}

std::optional<PointwiseCall> pointwise_call(const Body& body) {
  // The reader calls itself for every instruction of a chain.
  constexpr std::size_t longest = 1000;
  if (body.instructions().size() > longest) return std::nullopt;
  const Dims& result = body.root().dims;
  const auto chain = Reader(body).chain(body.root());
  if (!chain || chain->tensor == nullptr || chain->extents != result || chain->steps.empty()) {
    return std::nullopt;
  }
  std::string problem = problem_of(*chain, result);
  if (problem.empty()) return std::nullopt;
  const bool is_one = chain->steps.size() == 1;
  return PointwiseCall{is_one ? name_of(chain->steps.front()) : "Elementwise", std::move(problem)};
}

std::string key_or_nothing(const Problem& problem) {
  try {
    return key(parse(key(problem)));
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace benanza::analysis::jax
