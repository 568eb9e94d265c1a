#include "suites/harness/shared_places.h"

#include <algorithm>
#include <vector>

namespace benanza::harness {
namespace {

/// Any values of its type will do: an index or a divisor that another call wrote might not.
bool takes_any(const Operand& operand) {
  const bool is_any = operand.domain == Domain::any || operand.domain == Domain::unsigned_bytes;
  return operand.role == Role::data && is_any;
}

}  // namespace

SharedPlaces::SharedPlaces(Allocator& allocator, std::int64_t bytes)
    : OwnOperands(allocator), bytes_(bytes) {
  for (std::byte*& place : places_) place = block(bytes);
}

void SharedPlaces::begin(const Problem& problem) {
  first_.reset();
  second_.reset();
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (!takes_any(operands[index])) continue;
    if (!first_) {
      first_ = index;
    } else if (!second_) {
      second_ = index;
    }
  }
  ++calls_;
}

std::byte* SharedPlaces::fitting(std::size_t place, std::int64_t bytes) {
  return bytes <= bytes_ ? places_.at(place) : block(bytes);
}

std::byte* SharedPlaces::operand(std::size_t index, std::int64_t bytes, const MemoryFormat&) {
  if (index == first_ && calls_ > 1) return fitting(calls_ % 2, bytes);
  if (index == second_) return fitting(2, bytes);
  return block(bytes);
}

std::byte* SharedPlaces::result(std::size_t index, std::int64_t bytes, const MemoryFormat&) {
  return index == 0 ? fitting((calls_ + 1) % 2, bytes) : block(bytes);
}

std::byte* SharedPlaces::scratch(std::int64_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_ = block(bytes);
    scratch_bytes_ = bytes;
  }
  return scratch_;
}

std::int64_t place_bytes(std::span<const Problem> problems) {
  constexpr std::int64_t widest_element = 8;
  constexpr std::int64_t block = 16;
  std::int64_t most = 0;
  const auto take = [&](Dims dims) {
    if (dims.size() > 2) dims[1] = (dims[1] + block - 1) / block * block;
    most = std::max(most, element_count(dims) * widest_element);
  };
  for (const Problem& problem : problems) {
    for (const Operand& operand : inputs(problem)) {
      if (takes_any(operand)) take(operand.dims);
    }
    take(output(problem));
  }
  return most;
}

}  // namespace benanza::harness
