#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <thread>
#include <vector>

#include "suites/verify/comparison.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// The source of a part of a rank's result: the operand, and the part's first element.
struct Source {
  std::size_t operand = 0;
  std::int64_t first = 0;
};

bool reduces(const Collective& shape) { return shape.reduction_length() > 1; }

/// The source of element `i` of rank `rank`, if nothing is added up.
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

namespace {

/// A run of the result whose terms are runs of the operands.
struct Run {
  std::int64_t place = 0;
  std::int64_t count = 0;
  std::vector<const float*> terms{};
};

/// Splits the results of all ranks, row-major, into short runs.
std::vector<Run> runs_of(const Collective& shape, Operands operands) {
  constexpr std::int64_t longest = 1 << 18;
  const std::int64_t received = shape.received_elements();
  const bool whole = reduces(shape) || shape.kind == CollectiveKind::broadcast;
  const std::int64_t part = whole ? received : shape.elements / shape.ranks;
  std::vector<Run> runs;
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    for (std::int64_t i = 0; i < received;) {
      const std::int64_t count = std::min({longest, part - i % part, received - i});
      Run run{.place = rank * received + i, .count = count};
      if (reduces(shape)) {
        const bool scattered = shape.kind == CollectiveKind::reduce_scatter;
        const std::int64_t first = scattered ? rank * received + i : i;
        for (const std::vector<float>& operand : operands)
          run.terms.push_back(&operand[static_cast<std::size_t>(first)]);
      } else {
        const Source source = source_of(shape, rank, i);
        run.terms.push_back(&operands[source.operand][static_cast<std::size_t>(source.first)]);
      }
      runs.push_back(std::move(run));
      i += count;
    }
  }
  return runs;
}

}  // namespace

std::optional<std::int64_t> first_wrong(const Collective& shape, Precision precision,
                                        Operands operands, std::span<const float> result) {
  const std::int64_t received = shape.received_elements();
  const std::int64_t length = shape.reduction_length();
  const auto is_wrong = [&](std::int64_t place, double value) {
    const Element wanted = expected(shape, operands, place / received, place % received);
    // NaN compares false, so it counts as wrong.
    return !(std::abs(value - wanted.value) <= tolerance(precision, wanted, length, 1));
  };
  const auto first_of = [&](const Run& run) -> std::optional<std::int64_t> {
    const float* const values = result.data() + run.place;
    for (std::int64_t i = 0; i < run.count; ++i) {
      double sum = 0;
      for (const float* const term : run.terms) sum += term[i];
      // Most values are equal.
      if (values[i] != sum && is_wrong(run.place + i, values[i])) return run.place + i;
    }
    return std::nullopt;
  };
  const std::vector<Run> runs = runs_of(shape, operands);
  std::vector<std::optional<std::int64_t>> found(runs.size());
  {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    const std::size_t count =
        std::min<std::size_t>(runs.size(), std::max(1U, std::thread::hardware_concurrency()));
    for (std::size_t worker = 0; worker < count; ++worker) {
      workers.emplace_back([&] {
        for (std::size_t run = next++; run < runs.size(); run = next++) {
          found[run] = first_of(runs[run]);
        }
      });
    }
  }
  const auto first = std::ranges::find_if(found, [](const auto& one) { return one.has_value(); });
  return first == found.end() ? std::nullopt : *first;
}

}  // namespace benanza::verify
