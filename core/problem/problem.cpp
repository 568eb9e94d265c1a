#include "core/problem/problem.h"

#include <cmath>
#include <utility>

namespace benanza {
namespace {

template <std::size_t index = 0>
Shape read_shape(KeyReader& reader) {
  if constexpr (index < std::variant_size_v<Shape>) {
    using Alternative = std::variant_alternative_t<index, Shape>;
    if (Alternative::owns(reader.op())) {
      Alternative shape;
      KeyFields fields(reader);
      shape.map(fields);
      return shape;
    }
    return read_shape<index + 1>(reader);
  } else {
    reader.fail("a known operator");
  }
}

/// Length of the bias; 0 if the operator has none.
std::int64_t bias_length(const Shape& shape) {
  return std::visit(
      [](const auto& alternative) -> std::int64_t {
        if constexpr (requires { alternative.bias_length(); }) return alternative.bias_length();
        return 0;
      },
      shape);
}

/// Extents of a bias in the result's rank: it lies along axis 1, for a matrix product along the
/// last.
Dims bias_extents(const Shape& shape, const Dims& output) {
  Dims extents(output.size(), 1);
  const bool columns = std::holds_alternative<Gemm>(shape);
  extents[columns ? extents.size() - 1 : 1] = bias_length(shape);
  return extents;
}

Problem canonical(Problem problem) {
  if (bias_length(problem.shape) == 0) return problem;
  const Dims result = output(problem);
  problem.epilogue =
      canonical(std::move(problem.epilogue), result, bias_extents(problem.shape, result));
  return problem;
}

void check_steps(const KeyReader& reader, const Problem& problem) {
  const Dims result = output(problem);
  for (const Operand& operand : problem.epilogue.step_operands()) {
    if (!broadcasts_to(operand.dims, result)) {
      reader.fail("steps whose tensors broadcast to " + join(result, 'x'));
    }
  }
}

/// Refuses a problem whose tensors, or what its call writes, no machine holds.
void check_size(const KeyReader& reader, const Problem& problem) {
  std::int64_t total = 0;
  std::int64_t most = 0;
  std::string largest;
  const auto add = [&](std::string_view name, const Dims& dims) {
    const std::int64_t count = element_count(dims);
    total = saturated_sum(total, count);
    if (count <= most) return;
    most = count;
    if (count > most_elements / 8) largest = std::string(name) + ' ' + join(dims, 'x');
  };
  for (const Operand& operand : inputs(problem)) add(operand.name, operand.dims);
  for (const Dims& result : results(problem)) add("result", result);
  if (total > most_elements) {
    reader.too_large("its tensors have more than 2^48 elements" +
                     (largest.empty() ? "" : ", most of them " + largest));
  }
  if (written_elements(problem) > most_elements) {
    reader.too_large("it writes more than 2^48 elements");
  }
}

constexpr std::size_t packed_operand = 1;

/// Products of a constant second operand may store it packed, attention its keys and values.
bool may_be_packed(const Problem& problem) {
  if (std::holds_alternative<Attention>(problem.shape)) {
    const PackedWeights& packed = *problem.packed;
    return packed.block == 0 && !packed.per_column && !packed.rounds_data;
  }
  const std::vector<Operand> operands = inputs(problem);
  return is_product(problem) && operands.size() > packed_operand &&
         operands[packed_operand].role == Role::weights;
}

std::int64_t packed_operand_bytes(const Problem& problem, const Operand& operand,
                                  std::int64_t size) {
  const bool recurs = std::holds_alternative<Recurrent>(problem.shape);
  const std::int64_t length =
      recurs && operand.dims.size() > 1 ? operand.dims.back() : reduction_length(problem);
  return problem.packed->bytes(element_count(operand.dims) / length, length, size);
}

/// Packed weights of groups without rows are not read, either.
std::int64_t read_bytes(const GroupedGemm& grouped, const PackedWeights& packed,
                        std::int64_t size) {
  const std::int64_t data = grouped.rows() * grouped.k;
  const std::int64_t columns = (grouped.bytes_read(1) - data) / grouped.k;
  return data * size + packed.bytes(columns, grouped.k, size);
}

/// Counts only what is needed: a Copy's operand spans gaps that are not read and repeats elements
/// that are read once, a sparse product does not store zeros,
/// a grouped product does not read weights of groups without rows, and a recurrent gradient reads
/// what the forward call kept instead of some operands. A truth value is one byte.
std::int64_t read_bytes(const Problem& problem, std::int64_t size) {
  if (const auto* copy = std::get_if<Copy>(&problem.shape)) return copy->read_elements() * size;
  if (const auto* sparse = std::get_if<SparseProduct>(&problem.shape)) {
    return sparse->bytes_read(size);
  }
  if (const auto* grouped = std::get_if<GroupedGemm>(&problem.shape)) {
    return problem.packed ? read_bytes(*grouped, *problem.packed, size) : grouped->bytes_read(size);
  }
  if (const auto* gradient = std::get_if<RecurrentGradient>(&problem.shape)) {
    return gradient->read_elements() * size;
  }
  std::int64_t total = 0;
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    total += stored_bytes(problem, operands[index], index, size);
  }
  return total;
}

}  // namespace

std::string_view op(const Problem& problem) {
  return std::visit([](const auto& shape) { return shape.op(); }, problem.shape);
}

std::string key(const Problem& problem) {
  KeyWriter writer(op(problem));
  KeyFields fields(writer);
  std::visit([&]<class T>(const T& shape) { const_cast<T&>(shape).map(fields); },  // reads only
             problem.shape);
  problem.epilogue.write(writer);
  if (problem.packed) problem.packed->write(writer);
  return writer.take();
}

Problem parse(std::string_view key) {
  KeyReader reader(key);
  Problem problem{read_shape(reader), {}};
  if (takes_steps(problem.shape)) {
    problem.epilogue = Epilogue::read(reader, bias_length(problem.shape) > 0);
  }
  if (PackedWeights::is_next(reader)) {
    problem.packed = PackedWeights::read(reader);
    if (!may_be_packed(problem))
      reader.fail("a product with weights, or attention, before \"packed\"");
  }
  if (!reader.at_end()) reader.fail("the end");
  check_steps(reader, problem);
  problem = canonical(std::move(problem));
  for (const Operand& operand : inputs(problem)) {
    for (const std::int64_t extent : operand.dims) {
      if (extent < 1) reader.fail("positive extents");
    }
  }
  check_size(reader, problem);
  if (benanza::key(problem) != key) reader.fail("the canonical form " + benanza::key(problem));
  return problem;
}

bool takes_steps(const Shape& shape) {
  return std::visit(
      []<class Alternative>(const Alternative&) {
        if constexpr (requires { Alternative::takes_steps; }) return Alternative::takes_steps;
        return true;
      },
      shape);
}

Problem with_step(Problem problem, const Step& step) {
  std::vector<Step>& steps = problem.epilogue.steps;
  const auto* next = std::get_if<Activation>(&step);
  auto* last = steps.empty() ? nullptr : std::get_if<Activation>(&steps.back());
  if (next != nullptr && last != nullptr && next->kind == ActivationKind::linear &&
      last->kind == ActivationKind::linear) {
    const float beta = last->beta * next->alpha + next->beta;
    const float alpha = last->alpha * next->alpha;
    // What overflows stays two steps.
    if (std::isfinite(alpha) && std::isfinite(beta)) {
      last->alpha = alpha;
      last->beta = beta;
      return canonical(std::move(problem));
    }
  }
  steps.push_back(step);
  return canonical(std::move(problem));
}

std::vector<Operand> inputs(const Problem& problem) {
  auto operands = std::visit([](const auto& shape) { return shape.inputs(); }, problem.shape);
  if (problem.epilogue.bias) {
    operands.push_back(
        {.name = "bias", .dims = {bias_length(problem.shape)}, .role = Role::weights});
  }
  if (problem.epilogue.residual) operands.push_back({.name = "residual", .dims = output(problem)});
  for (Operand& operand : problem.epilogue.step_operands()) operands.push_back(std::move(operand));
  return operands;
}

bool is_stored_packed(const Problem& problem, std::size_t index) {
  if (!problem.packed) return false;
  const bool has_two = std::holds_alternative<Recurrent>(problem.shape) ||
                       std::holds_alternative<Attention>(problem.shape);
  return index == packed_operand || (has_two && index == packed_operand + 1);
}

std::int64_t stored_bytes(const Problem& problem, const Operand& operand, std::size_t index,
                          std::int64_t size) {
  if (is_stored_packed(problem, index)) return packed_operand_bytes(problem, operand, size);
  return element_count(operand.dims) * (operand.domain == Domain::truth ? 1 : size);
}

std::string packed_text(const Problem& problem) {
  if (!std::holds_alternative<Attention>(problem.shape)) return problem.packed->text();
  return std::string(to_string(problem.packed->type)) + " keys and values";
}

std::int64_t packed_bytes(const Problem& problem, std::int64_t scale_bytes) {
  const std::vector<Operand> operands = inputs(problem);
  std::int64_t total = 0;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (!is_stored_packed(problem, index)) continue;
    total = saturated_sum(total, packed_operand_bytes(problem, operands[index], scale_bytes));
  }
  return total;
}

bool has_unsigned_data(const Problem& problem) {
  return std::visit(
      [](const auto& shape) {
        if constexpr (requires { shape.unsigned_data; }) return shape.unsigned_data;
        return false;
      },
      problem.shape);
}

Problem with_unsigned_data(Problem problem, bool is_unsigned) {
  std::visit(
      [&](auto& shape) {
        if constexpr (requires { shape.unsigned_data; }) shape.unsigned_data = is_unsigned;
      },
      problem.shape);
  return problem;
}

std::optional<std::size_t> bias_operand(const Problem& problem) {
  if (!problem.epilogue.bias) return std::nullopt;
  return first_step_operand(problem) - (problem.epilogue.residual ? 2 : 1);
}

std::optional<std::size_t> residual_operand(const Problem& problem) {
  if (!problem.epilogue.residual) return std::nullopt;
  return first_step_operand(problem) - 1;
}

std::size_t first_step_operand(const Problem& problem) {
  return inputs(problem).size() - problem.epilogue.step_operands().size();
}

Dims output(const Problem& problem) {
  return std::visit([](const auto& shape) { return shape.output(); }, problem.shape);
}

std::vector<Dims> results(const Problem& problem) {
  return std::visit(
      [](const auto& shape) -> std::vector<Dims> {
        if constexpr (requires { shape.results(); }) {
          return shape.results();
        } else {
          return {shape.output()};
        }
      },
      problem.shape);
}

std::int64_t written_elements(const Problem& problem) {
  return std::visit(
      [](const auto& shape) -> std::int64_t {
        if constexpr (requires { shape.moved_elements(); }) return shape.moved_elements();
        return element_count(shape.output());
      },
      problem.shape);
}

Work work(const Problem& problem, Precision precision) {
  const std::int64_t size = element_bytes(precision);
  const std::int64_t written = written_elements(problem);
  Work total;
  total.flops = std::visit([](const auto& shape) { return shape.flops(); }, problem.shape);
  const Epilogue& epilogue = problem.epilogue;
  const int own =
      int{epilogue.bias} + int{epilogue.residual} + int{epilogue.activation.has_value()};
  const auto steps = static_cast<double>(epilogue.steps.size()) + own;
  total.flops += steps * static_cast<double>(written);
  total.bytes_read = read_bytes(problem, size);
  total.bytes_written = written * size;
  std::visit(
      [&](const auto& shape) {
        if constexpr (requires { shape.writes_bytes(); }) {
          // One side is int8, whatever the precision.
          (shape.writes_bytes() ? total.bytes_written : total.bytes_read) = written;
        }
      },
      problem.shape);
  if (const auto* cast = std::get_if<Cast>(&problem.shape)) {
    (cast->widens ? total.bytes_written : total.bytes_read) =
        written * element_bytes(Precision::fp32);
  }
  return total;
}

double product_flops(const Problem& problem) {
  return std::visit(
      [](const auto& shape) -> double {
        if constexpr (requires { shape.product_flops(); }) return shape.product_flops();
        // What takes a bias is nothing else than sums of products.
        if constexpr (requires { shape.bias_length(); }) return shape.flops();
        return 0;
      },
      problem.shape);
}

bool is_product(const Problem& problem) { return product_flops(problem) > 0; }

std::int64_t reduction_length(const Problem& problem) {
  return std::visit(
      [](const auto& shape) -> std::int64_t {
        if constexpr (requires { shape.reduction_length(); }) return shape.reduction_length();
        return 1;
      },
      problem.shape);
}

}  // namespace benanza
