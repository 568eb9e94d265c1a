#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "suites/verify/operators.h"
#include "suites/verify/tolerance.h"

namespace benanza::verify {
namespace {

/// Where the parts of a rank's result come from: operand and first element of each.
struct Source {
  std::size_t operand = 0;
  std::int64_t first = 0;
};

bool reduces(const Collective& shape) { return shape.reduction_length() > 1; }

/// Of element `i` of rank `rank`, where nothing is added up.
Source source_of(const Collective& shape, std::int64_t rank, std::int64_t i) {
  const std::int64_t part = shape.elements / shape.ranks;
  switch (shape.kind) {
    case CollectiveKind::all_gather:
      return {static_cast<std::size_t>(i / part), i % part};
    case CollectiveKind::all_to_all:
      return {static_cast<std::size_t>(i / part), rank * part + i % part};
    default:
      return {0, i};
  }
}

Element expected(const Collective& shape, Operands operands, std::int64_t rank, std::int64_t i) {
  if (!reduces(shape)) {
    const Source source = source_of(shape, rank, i);
    const double value = operands[source.operand][static_cast<std::size_t>(source.first)];
    return {value, std::abs(value)};
  }
  const bool scattered = shape.kind == CollectiveKind::reduce_scatter;
  const std::int64_t from = scattered ? rank * shape.received_elements() + i : i;
  Element sum;
  for (const std::vector<float>& operand : operands) {
    const double value = operand[static_cast<std::size_t>(from)];
    sum.value += value;
    sum.magnitude += std::abs(value);
  }
  return sum;
}

}  // namespace

Element element(const Collective& shape, Operands operands, const Dims& at) {
  return expected(shape, operands, at[0], at[1]);
}

std::optional<std::int64_t> first_wrong(const Collective& shape, Precision precision,
                                        Operands operands, std::span<const float> result) {
  const std::int64_t received = shape.received_elements();
  const std::int64_t length = shape.reduction_length();
  const auto is_wrong = [&](std::int64_t place) {
    const Element wanted = expected(shape, operands, place / received, place % received);
    const double value = result[static_cast<std::size_t>(place)];
    // Most are equal, and not a number is no less than anything.
    return value != wanted.value &&
           !(std::abs(value - wanted.value) <= tolerance(precision, wanted, length, 1));
  };
  const auto count = static_cast<std::int64_t>(result.size());
  const std::int64_t parts = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::optional<std::int64_t>> found(static_cast<std::size_t>(parts));
  {
    std::vector<std::jthread> workers;
    for (std::int64_t part = 0; part < parts; ++part) {
      workers.emplace_back([&, part] {
        for (std::int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
          if (!is_wrong(i)) continue;
          found[static_cast<std::size_t>(part)] = i;
          return;
        }
      });
    }
  }
  const auto first = std::ranges::find_if(found, [](const auto& one) { return one.has_value(); });
  return first == found.end() ? std::nullopt : *first;
}

}  // namespace benanza::verify
