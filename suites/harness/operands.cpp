#include "suites/harness/operands.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace benanza::harness {

namespace {

constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t large_page_bytes = std::int64_t{2} << 20;

}  // namespace

std::shared_ptr<std::byte> HostAllocator::allocate(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  const bool is_large = bytes >= large_page_bytes / 2;
  const std::int64_t unit = is_large ? large_page_bytes : 1;
  const auto size = static_cast<std::size_t>((bytes + unit - 1) / unit * unit);
  const auto alignment =
      static_cast<std::align_val_t>(is_large ? large_page_bytes : cache_line_bytes);
  void* const memory = ::operator new(size, alignment);
  // Where it fails, small pages serve.
  if (is_large) madvise(memory, size, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory),
          [alignment](std::byte* block) { ::operator delete(block, alignment); }};
}

void HostAllocator::write(std::byte* target, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, target);
}

void HostAllocator::read(std::span<std::byte> bytes, const std::byte* source) {
  std::copy_n(source, bytes.size(), bytes.begin());
}

std::byte* OwnOperands::block(std::int64_t bytes) {
  return blocks_.emplace_back(allocator_->allocate(bytes)).get();
}

namespace {

void note(std::vector<std::string>& names, std::size_t index, const MemoryFormat& format) {
  constexpr const char* row_major = "row-major";
  if (index >= names.size()) names.resize(index + 1, row_major);
  if (!format.name.empty()) names[index] = format.name;
}

}  // namespace

std::byte* NotedOperands::operand(std::size_t index, std::int64_t bytes,
                                  const MemoryFormat& format) {
  note(formats_.operands, index, format);
  formats_.operand_bytes.resize(std::max(formats_.operand_bytes.size(), index + 1));
  formats_.operand_bytes[index] = bytes;
  return block(bytes);
}

std::byte* NotedOperands::result(std::size_t index, std::int64_t bytes,
                                 const MemoryFormat& format) {
  note(formats_.results, index, format);
  return block(bytes);
}

}  // namespace benanza::harness
