#include "generator/lowered/lowered.h"

#include <algorithm>

namespace benanza {

std::string to_string(const Assumption& assumption) {
  return assumption.tensor + ':' + std::to_string(assumption.axis) + '=' +
         std::to_string(assumption.extent);
}

namespace {

bool only_moves(const Call& call) {
  return std::holds_alternative<Copy>(call.problem.shape) ||
         std::holds_alternative<Concat>(call.problem.shape);
}

/// Copies whose result another call of the layer reads, and nobody else.
std::vector<std::size_t> inner_moves(const std::vector<Call>& calls) {
  std::vector<bool> read(calls.size());
  for (const Call& call : calls) {
    for (const Source& source : call.operands) {
      if (source.kind == Source::Kind::call) read.at(static_cast<std::size_t>(source.index)) = true;
    }
  }
  std::vector<std::size_t> moves;
  for (std::size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    const bool writes_output =
        call.output != 0 || call.writes_part || call.in_place || call.into.has_value();
    if (only_moves(call) && read[index] && !writes_output) moves.push_back(index);
  }
  return moves.size() < calls.size() ? moves : std::vector<std::size_t>{};
}

}  // namespace

void set_work(LoweredLayer& layer) {
  layer.problems.clear();
  for (const Call& call : layer.calls) layer.problems.push_back(key(call.problem));
  layer.inner_moves.clear();
  if (layer.cost == Cost::measured) layer.inner_moves = inner_moves(layer.calls);
  if (layer.cost == Cost::unsupported) return;
  layer.flops = 0;
  layer.bytes = 0;
  if (layer.cost == Cost::free) return;
  for (const Call& call : layer.calls) {
    const Work done = work(call.problem, Precision::fp32);
    *layer.flops += done.flops;
    *layer.bytes += static_cast<double>(done.bytes());
  }
}

void set_inputs(LoweredLayer& layer) {
  std::set<std::size_t> producers;
  for (const Read& read : layer.reads) {
    if (read.producer) producers.insert(*read.producer);
  }
  layer.inputs = {producers.begin(), producers.end()};
}

bool is_read(const std::vector<Call>& calls, std::size_t index) {
  return std::ranges::any_of(calls, [&](const Call& call) {
    return std::ranges::any_of(call.operands, [&](const Source& source) {
      return source.kind == Source::Kind::call && static_cast<std::size_t>(source.index) == index;
    });
  });
}

void erase_call(std::vector<Call>& calls, std::size_t index, const Source& instead) {
  calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(index));
  for (Call& call : calls) {
    for (Source& source : call.operands) {
      if (source.kind != Source::Kind::call || static_cast<std::size_t>(source.index) < index) {
        continue;
      }
      if (static_cast<std::size_t>(source.index) > index) {
        --source.index;
        continue;
      }
      const Source before = source;
      source = instead;
      source.scale *= before.scale;
      source.matrix_rows = before.matrix_rows;
      if (before.part_from) source.part_from = source.part_from.value_or(0) + *before.part_from;
    }
  }
}

const Copy* copy_of_all(const Call& call) {
  const bool is_part = call.is_proxy || call.writes_part || call.in_place;
  return is_part ? nullptr : std::get_if<Copy>(&call.problem.shape);
}

}  // namespace benanza
