#include "suites/plan/places.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace benanza::plan {
Places::Places(const Plan& plan, harness::Backend& backend, harness::Allocator& memory)
    : plan_(plan), backend_(backend), memory_(memory), arena_(memory.allocate(plan.arena_bytes)) {}

Places::Key Places::key_of(std::size_t tensor) const {
  return {plan_.tensors[tensor].buffer.value(), plan_.tensors[tensor].offset};
}

Places::Held& Places::held(std::size_t tensor) {
  const auto [place, is_new] = held_.try_emplace(key_of(tensor));
  const PlanTensor& one = plan_.tensors[tensor];
  if (is_new) {
    place->second.bytes = room(tensor);
    place->second.data =
        one.part_of ? read(*one.part_of, one.offset - plan_.tensors[*one.part_of].offset, 0, {})
                    : in_arena(tensor);
  }
  return place->second;
}

std::byte* Places::in_arena(std::size_t tensor) const {
  const auto [buffer, first] = key_of(tensor);
  return arena_.get() + plan_.buffers[buffer].offset + first * element_bytes_of(plan_, tensor);
}

std::int64_t Places::room(std::size_t tensor) const {
  const auto [buffer, first] = key_of(tensor);
  return plan_.buffers[buffer].bytes - first * element_bytes_of(plan_, tensor);
}

std::byte* Places::block(std::int64_t bytes) {
  bytes_beyond_arena_ += bytes;
  return blocks_.emplace_back(memory_.allocate(bytes)).get();
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
      data = block(size);
      conversions_.push_back({backend_.conversion(one.format, one.data, format, data),
                              one.format.name, format.name, size});
      one.converted.push_back({format, data, size});
      accesses_.push_back({one.data, one.bytes, false});
      accesses_.push_back({data, size, true});
    }
  }
  accesses_.push_back({data + before, bytes, false});
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
  }
  if (before + bytes > room(tensor)) {
    if (format.name.empty()) {
      throw Error("writes " + std::to_string(bytes) + " bytes where the plan has " +
                  std::to_string(room(tensor) - before));
    }
    one.data = block(bytes);
  }
  accesses_.push_back({one.data + before, bytes, true});
  return one.data + before;
}

std::byte* Places::shared_scratch(std::int64_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_.push_back(memory_.allocate(bytes));
    scratch_bytes_ = bytes;
  }
  return scratch_.empty() ? nullptr : scratch_.back().get();
}

std::vector<Access> Places::take_accesses() { return std::exchange(accesses_, {}); }

std::vector<FormatConversion> Places::take_conversions() { return std::exchange(conversions_, {}); }

}  // namespace benanza::plan
