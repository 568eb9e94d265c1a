#include "suites/plan/places.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/problem/problem.h"
#include "suites/harness/operands.h"

namespace benanza::plan {
Places::Places(const Plan& plan, std::span<harness::Backend* const> backends,
               harness::Allocator& memory)
    : plan_(plan),
      backends_(backends.begin(), backends.end()),
      memory_(memory),
      arena_(memory.allocate(plan.arena_bytes)) {
  for (std::size_t whole = 0; whole < plan.tensors.size(); ++whole) {
    if (plan.tensors[whole].joins.empty()) continue;
    joined_.emplace(key_of(whole), whole);
    for (const JoinedPart& part : plan.tensors[whole].joins) {
      if (is_in_place(plan, whole, part)) parts_.emplace(key_of(part.tensor), &part);
    }
  }
}

Places::Key Places::key_of(std::size_t tensor) const {
  const PlanTensor& one = plan_.tensors[tensor];
  return {one.buffer.value(), one.offset, one.shape ? element_count(*one.shape) : -1};
}

const JoinedPart* Places::part_in_place(std::size_t tensor) const {
  const auto found = parts_.find(key_of(tensor));
  return found == parts_.end() ? nullptr : found->second;
}

Places::Held& Places::held(std::size_t tensor) {
  const Key key = key_of(tensor);
  if (const auto known = held_.find(key); known != held_.end()) return known->second;
  const PlanTensor& one = plan_.tensors[tensor];
  if (const auto found = joined_.find(key); found != joined_.end()) {
    return held_.emplace(key, joined(found->second)).first->second;
  }
  Held made{.bytes = room(tensor)};
  made.data = one.part_of
                  ? read(*one.part_of, one.offset - plan_.tensors[*one.part_of].offset, 0, {})
                  : in_arena(tensor);
  return held_.emplace(key, std::move(made)).first->second;
}

Places::Held Places::joined(std::size_t whole) {
  const PlanTensor& one = plan_.tensors[whole];
  for (const JoinedPart& part : one.joins) bring(whole, part);
  Held made{.data = in_arena(whole), .bytes = room(whole)};
  if (!one.joined_format.empty()) {
    made.format = {.name = one.joined_format,
                   .description = held(one.joins.front().tensor).format.description};
  }
  return made;
}

void Places::bring(std::size_t whole, const JoinedPart& part) {
  Held& one = held(part.tensor);
  const std::int64_t size = element_bytes_of(plan_, whole);
  std::byte* const place = in_arena(whole) + part.first * size;
  const std::int64_t elements = element_count(plan_.tensors[part.tensor].shape.value());
  const auto lies_there = [&](const Copy& copy) { return copy.data == place; };
  if (std::ranges::any_of(one.converted, lies_there)) return;
  if (one.data == place && one.format.name == part.format) return;
  if (one.data == place || !part.format.empty()) {
    throw harness::Unsupported("joins a part in the format " + one.format.name + " where it is " +
                               part.format + " in the plan");
  }
  if (one.format.name.empty()) return copy(one, place, elements);
  convert(one, {}, place, elements * size);
}

void Places::convert(Held& from, const harness::MemoryFormat& format, std::byte* target,
                     std::int64_t bytes) {
  conversions_.push_back(fastest_conversion(from, format, target));
  conversions_.back().bytes = bytes;
  from.converted.push_back({format, target, bytes});
  note(from.data, from.bytes, false);
  note(target, bytes, true);
}

FormatConversion Places::fastest_conversion(const Held& from, const harness::MemoryFormat& format,
                                            std::byte* target) const {
  constexpr std::int64_t calls = 10;
  FormatConversion best{.from = from.format.name, .to = format.name};
  double least = std::numeric_limits<double>::infinity();
  std::string refusal;
  for (harness::Backend* const one : backends_) {
    try {
      auto call = one->conversion(from.format, from.data, format, target);
      double seconds = 0;
      if (backends_.size() > 1) {
        one->stopwatch().time(*call, calls);
        seconds = one->stopwatch().time(*call, calls);
      }
      if (seconds >= least) continue;
      least = seconds;
      best.call = std::move(call);
      best.library = one;
    } catch (const harness::Unsupported& reason) {
      if (refusal.empty()) refusal = reason.what();
    }
  }
  if (!best.call) throw harness::Unsupported(refusal);
  return best;
}

void Places::copy(const Held& from, std::byte* target, std::int64_t elements) {
  const Precision precision = parse_precision(plan_.precision).value();
  harness::Variant move{
      .problem = {.shape = benanza::Copy{.dims = {elements}, .from = {1}, .to = {1}},
                  .epilogue = {}},
      .precision = precision,
      .layout = Layout::plain,
      .algorithm = {}};
  harness::CopyEnds ends(from.data, target);
  std::unique_ptr<harness::Primitive> call;
  harness::Backend& first = *backends_.front();
  for (const harness::Way& way : first.ways(move, harness::AlgorithmSet::all)) {
    move.algorithm = way.name;
    try {
      call = first.way(move).make(ends);
      break;
    } catch (const harness::Unsupported&) {
      continue;
    }
  }
  if (!call) throw harness::Unsupported(std::string(first.name()) + " copies no elements");
  const std::int64_t bytes = elements * element_bytes(precision);
  conversions_.push_back({.call = std::move(call), .library = &first, .bytes = bytes});
  note(from.data, bytes, false);
  note(target, bytes, true);
}

std::byte* Places::in_arena(std::size_t tensor) const {
  const PlanTensor& one = plan_.tensors[tensor];
  return arena_.get() + plan_.buffers[one.buffer.value()].offset +
         one.offset * element_bytes_of(plan_, tensor);
}

std::int64_t Places::room(std::size_t tensor) const {
  const PlanTensor& one = plan_.tensors[tensor];
  const std::int64_t size = element_bytes_of(plan_, tensor);
  if (part_in_place(tensor) != nullptr) return element_count(one.shape.value()) * size;
  return plan_.buffers[one.buffer.value()].bytes - one.offset * size;
}

std::byte* Places::block(std::size_t tensor, std::int64_t bytes) {
  const std::size_t last = plan_.buffers[plan_.tensors[tensor].buffer.value()].last;
  const std::size_t number = spare_.take(bytes, step_, last);
  if (number == blocks_.size()) blocks_.push_back(memory_.allocate(bytes));
  return blocks_[number].get();
}

std::byte* Places::read(std::size_t tensor, std::int64_t first, std::int64_t bytes,
                        const harness::MemoryFormat& format) {
  if (first > 0 && !format.name.empty()) {
    throw harness::Unsupported("reads a part of a tensor in a format of its own");
  }
  Held& one = held(tensor);
  const std::int64_t before = first * element_bytes_of(plan_, tensor);
  if (format.name.empty() && before + bytes > room(tensor)) {
    throw Error("takes " + std::to_string(bytes) + " bytes where the plan has " +
                std::to_string(room(tensor) - before));
  }
  std::byte* data = one.data;
  if (format.name != one.format.name) {
    const auto known = std::ranges::find_if(
        one.converted, [&](const Copy& copy) { return copy.format.name == format.name; });
    if (known != one.converted.end()) {
      data = known->data;
    } else {
      const std::int64_t size = format.name.empty() ? room(tensor) : bytes;
      const JoinedPart* const part = part_in_place(tensor);
      const bool goes_to_its_place = format.name.empty() && part != nullptr && part->format.empty();
      data = goes_to_its_place ? in_arena(tensor) : block(tensor, size);
      convert(one, format, data, size);
    }
  }
  note(data + before, bytes, false);
  return data + before;
}

std::byte* Places::write(std::size_t tensor, std::int64_t first, bool whole, std::int64_t bytes,
                         const harness::MemoryFormat& format) {
  if (!format.name.empty() && !whole) {
    throw harness::Unsupported("writes a part of a tensor in a format of its own");
  }
  Held& one = held(tensor);
  const std::int64_t before = first * element_bytes_of(plan_, tensor);
  one.converted.clear();
  // Parts lie together in the tensor's own place.
  if (!one.format.name.empty() || whole) {
    one = {.format = format, .data = in_arena(tensor), .bytes = std::max(bytes, room(tensor))};
    const JoinedPart* const part = part_in_place(tensor);
    if (part != nullptr && part->format != format.name) {
      one = {.format = format, .data = block(tensor, bytes), .bytes = bytes};
      note(one.data, bytes, true);
      return one.data;
    }
  }
  if (before + bytes > room(tensor)) {
    if (format.name.empty()) {
      throw Error("writes " + std::to_string(bytes) + " bytes where the plan has " +
                  std::to_string(room(tensor) - before));
    }
    one.data = block(tensor, bytes);
  }
  note(one.data + before, bytes, true);
  return one.data + before;
}

std::byte* Places::shared_scratch(std::int64_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_.push_back(memory_.allocate(bytes));
    scratch_bytes_ = bytes;
  }
  return scratch_.empty() ? nullptr : scratch_.back().get();
}

void Places::note(const std::byte* begin, std::int64_t bytes, bool writes) {
  accesses_.push_back({reinterpret_cast<std::uintptr_t>(begin), bytes, writes});
}

std::vector<Access> Places::take_accesses() { return std::exchange(accesses_, {}); }

std::vector<FormatConversion> Places::take_conversions() { return std::exchange(conversions_, {}); }

}  // namespace benanza::plan
