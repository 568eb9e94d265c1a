#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Einsum as contractions of two operands at a time, from the left: matrix products, or elementwise
/// ones where nothing is summed, with sums before them, and copies before and after them if the
/// axes are not in an order that a product accepts.
namespace benanza::onnx {
namespace {

/// Labels of an operand's axes: letters as they are, the axes of "..." as numbers above those of
/// letters, highest for the last axis.
using Labels = std::vector<int>;

struct Equation {
  std::vector<Labels> operands;
  Labels result;
};

constexpr int first_of_ellipsis = 256;
constexpr int most_of_ellipsis = 64;

/// `rank`: number of axes of the operand; an ellipsis stands for those without a letter.
Labels read_term(const std::string& term, std::size_t rank) {
  const std::size_t dots = term.find("...");
  const std::size_t letters = dots == std::string::npos ? term.size() : term.size() - 3;
  if (letters > rank || (dots == std::string::npos && letters != rank)) {
    throw Error("\"" + term + "\" does not fit an operand of " + std::to_string(rank) + " axes");
  }
  Labels labels;
  for (std::size_t at = 0; at < term.size(); ++at) {
    if (at == dots) {
      // Aligned at the end, as in broadcasting.
      for (std::size_t axis = letters; axis < rank; ++axis) {
        labels.push_back(first_of_ellipsis + most_of_ellipsis - static_cast<int>(rank - axis));
      }
      at += 2;
    } else {
      labels.push_back(static_cast<unsigned char>(term[at]));
    }
  }
  return labels;
}

/// Throws Error if the equation does not fit the operands.
Equation read_equation(const NodeView& einsum) {
  std::string text = einsum.text("equation", "");
  std::erase_if(text, [](char letter) { return letter == ' '; });
  const std::size_t arrow = text.find("->");
  std::string terms = text.substr(0, arrow) + ',';
  Equation equation;
  std::map<int, int> uses;
  std::size_t widest = 0;
  for (std::size_t index = 0; index < einsum.input_count(); ++index) {
    const std::size_t comma = terms.find(',');
    if (comma == std::string::npos) throw Error("\"" + text + "\" has too few terms");
    const std::size_t rank = einsum.shape(index).size();
    if (rank > most_of_ellipsis) throw NotExpressible("too many axes");
    equation.operands.push_back(read_term(terms.substr(0, comma), rank));
    terms.erase(0, comma + 1);
    std::size_t covered = 0;
    for (const int label : equation.operands.back()) {
      ++uses[label];
      covered += label >= first_of_ellipsis ? 1 : 0;
    }
    widest = std::max(widest, covered);
  }
  if (!terms.empty()) throw Error("\"" + text + "\" has too many terms");
  if (arrow != std::string::npos) {
    const std::string result = text.substr(arrow + 2);
    const bool open = result.find("...") != std::string::npos;
    equation.result = read_term(result, open ? result.size() - 3 + widest : result.size());
    for (const int label : equation.result) {
      if (!uses.contains(label)) throw Error("\"" + text + "\" makes an axis from nothing");
    }
    return equation;
  }
  // Without an arrow: the ellipsis, then labels that occur once, in alphabetical order.
  for (const auto& [label, count] : uses) {
    if (label >= first_of_ellipsis) equation.result.push_back(label);
  }
  for (const auto& [label, count] : uses) {
    if (label < first_of_ellipsis && count == 1) equation.result.push_back(label);
  }
  return equation;
}

/// Whether a label occurs more than once in the operand.
bool takes_diagonal(const Labels& labels) {
  return std::set<int>(labels.begin(), labels.end()).size() != labels.size();
}

/// Extents of the wanted labels in an operand; 1 for labels that it lacks.
Dims extents_of(const Labels& wanted, const Labels& labels, const Dims& dims) {
  Dims extents;
  for (const int label : wanted) {
    const auto found = std::ranges::find(labels, label);
    extents.push_back(
        found == labels.end() ? 1 : dims[static_cast<std::size_t>(found - labels.begin())]);
  }
  return extents;
}

std::vector<TensorFacts> einsum_shape(const NodeView& node) {
  const Equation equation = read_equation(node);
  std::map<int, std::int64_t> extents;
  for (std::size_t index = 0; index < equation.operands.size(); ++index) {
    const Dims& dims = node.shape(index);
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      std::int64_t& extent = extents.emplace(equation.operands[index][axis], 1).first->second;
      if (extent == 1) {
        extent = dims[axis];
      } else if (dims[axis] != 1 && dims[axis] != extent) {
        throw Error("an axis of " + std::to_string(extent) + " is one of " +
                    std::to_string(dims[axis]) + " in another place");
      }
    }
  }
  Dims dims;
  for (const int label : equation.result) dims.push_back(extents.at(label));
  return {{node.input(0).type, dims}};
}

bool has(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

Labels joined(Labels first, const Labels& second, const Labels& third) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

/// A tensor with labelled axes, between calls.
struct Value {
  Labels labels;
  Dims dims;
  Source source;
};

/// Reorders the axes of `value`, by a copy if that moves any element.
Value ordered(const Value& value, const Labels& order, std::vector<Call>& calls) {
  Value result{order, extents_of(order, value.labels, value.dims), value.source};
  const Dims strides = dense_strides(value.dims);
  const View from{result.dims, extents_of(order, value.labels, strides), 0};
  Call copy = copy_call(from, dense_view(result.dims));
  const auto& shape = std::get<Copy>(copy.problem.shape);
  if (shape.dims.size() == 1 && shape.from == shape.to) return result;
  copy.operands = {value.source};
  result.source = add_call(calls, copy);
  return result;
}

/// Sums over the axes that are not wanted.
Value summed(const Value& value, const Labels& wanted, std::vector<Call>& calls) {
  Dims axes;
  Value kept{{}, {}, value.source};
  for (std::size_t axis = 0; axis < value.labels.size(); ++axis) {
    if (has(wanted, value.labels[axis])) {
      kept.labels.push_back(value.labels[axis]);
      kept.dims.push_back(value.dims[axis]);
    } else {
      axes.push_back(static_cast<std::int64_t>(axis));
    }
  }
  if (!axes.empty()) {
    kept.source = add_call(
        calls, call(Reduction{.kind = ReductionKind::sum, .input = value.dims, .axes = axes},
                    {value.source}));
  }
  return kept;
}

/// Sums over the axes that the result lacks and reorders the others.
Lowered single(const Value& value, const Labels& result) {
  std::vector<Call> calls;
  const Value kept = summed(value, result, calls);
  const bool moves = calls.empty();
  ordered(kept, result, calls);
  if (calls.empty()) return free_layer("the same elements in the same order");
  return moves ? movement(std::move(calls)) : measured(std::move(calls));
}

/// The role of each label in the product of a and b. Summed ones are in both.
struct Roles {
  Labels batch;
  Labels rows;
  Labels columns;
  Labels summed;
};

Roles roles(const Value& a, const Value& b, const Labels& result) {
  Roles found;
  for (const int label : result) {
    const bool in_a = has(a.labels, label);
    (in_a && has(b.labels, label) ? found.batch
     : in_a                       ? found.rows
                                  : found.columns)
        .push_back(label);
  }
  for (const int label : a.labels) {
    if (!has(result, label)) found.summed.push_back(label);
  }
  return found;
}

/// Extents as batch axes and one matrix.
Dims matrix(const Value& value, const Labels& batch, const Labels& rows, const Labels& columns) {
  Dims dims = extents_of(batch, value.labels, value.dims);
  dims.push_back(element_count(extents_of(rows, value.labels, value.dims)));
  dims.push_back(element_count(extents_of(columns, value.labels, value.dims)));
  return dims;
}

/// Puts the axes in `order` or `other`, by a copy if they are in neither; then in the one that
/// keeps the innermost axis (`innermost` are the last axes of `other`). Returns true for `other`.
bool arranged(Value& value, const Labels& order, const Labels& other, const Labels& innermost,
              std::vector<Call>& calls) {
  if (value.labels == order || value.labels == other) return value.labels != order;
  const bool keeps = !value.labels.empty() && has(innermost, value.labels.back());
  value = ordered(value, keeps ? other : order, calls);
  return keeps && other != order;
}

Value last_call(Labels labels, const Value& a, const Value& b, const std::vector<Call>& calls) {
  Value made{std::move(labels), {}, last_result(calls)};
  for (const int label : made.labels) {
    const std::int64_t in_a = extents_of({label}, a.labels, a.dims)[0];
    made.dims.push_back(std::max(in_a, extents_of({label}, b.labels, b.dims)[0]));
  }
  return made;
}

Value elementwise(const Value& first, const Value& second, const Labels& result, bool constant_b,
                  std::vector<Call>& calls) {
  const Value a = ordered(first, result, calls);
  const Value b = ordered(second, result, calls);
  calls.push_back(
      elementwise_call(BinaryKind::mul, {a.dims, false, a.source}, {b.dims, constant_b, b.source}));
  return last_call(result, a, b, calls);
}

/// Labels of the result are those of a or b.
Value product(Value a, Value b, const Labels& result, bool constant_b, std::vector<Call>& calls) {
  a = summed(a, joined(result, b.labels, {}), calls);
  b = summed(b, joined(result, a.labels, {}), calls);
  Roles role = roles(a, b, result);
  if (role.summed.empty() && (role.rows.empty() || role.columns.empty())) {
    return elementwise(a, b, result, constant_b, calls);
  }
  if (result == joined(role.batch, role.columns, role.rows) && !role.columns.empty() &&
      !role.rows.empty()) {
    std::swap(a, b);
    std::swap(role.rows, role.columns);
    constant_b = false;
  }
  const bool transpose_a = arranged(a, joined(role.batch, role.rows, role.summed),
                                    joined(role.batch, role.summed, role.rows), role.rows, calls);
  const bool transpose_b =
      arranged(b, joined(role.batch, role.summed, role.columns),
               joined(role.batch, role.columns, role.summed), role.summed, calls);
  calls.push_back(product_call(transpose_a ? matrix(a, role.batch, role.summed, role.rows)
                                           : matrix(a, role.batch, role.rows, role.summed),
                               a.source,
                               transpose_b ? matrix(b, role.batch, role.columns, role.summed)
                                           : matrix(b, role.batch, role.summed, role.columns),
                               b.source, constant_b, transpose_a, transpose_b));
  return ordered(last_call(joined(role.batch, role.rows, role.columns), a, b, calls), result,
                 calls);
}

/// Labels of the product of a and b that `later` ones need, in the order of a product.
Labels needed(const Value& a, const Value& b, const Labels& later) {
  Labels batch;
  Labels rows;
  Labels columns;
  for (const int label : a.labels) {
    if (has(later, label)) (has(b.labels, label) ? batch : rows).push_back(label);
  }
  for (const int label : b.labels) {
    if (has(later, label) && !has(a.labels, label)) columns.push_back(label);
  }
  return joined(batch, rows, columns);
}

Lowered lower_einsum(const NodeView& node) {
  const Equation equation = read_equation(node);
  for (const Labels& labels : equation.operands) {
    if (takes_diagonal(labels)) throw NotExpressible("a diagonal");
  }
  const auto value = [&](std::size_t index) {
    return Value{equation.operands[index], node.shape(index), from_input(index)};
  };
  if (node.input_count() == 1) return single(value(0), equation.result);
  std::vector<Call> calls;
  Value made = value(0);
  for (std::size_t index = 1; index < node.input_count(); ++index) {
    Labels later = equation.result;
    for (std::size_t next = index + 1; next < node.input_count(); ++next) {
      later = joined(later, equation.operands[next], {});
    }
    const bool is_last = index + 1 == node.input_count();
    made =
        product(made, value(index), is_last ? equation.result : needed(made, value(index), later),
                node.input(index).constant, calls);
  }
  return measured(std::move(calls));
}

}  // namespace

void register_einsum(OperatorTable& table) {
  // The installed schema infers only the rank of the result.
  table.add("Einsum", {.shapes = {{einsum_shape}}, .lower = lower_einsum});
}

}  // namespace benanza::onnx
