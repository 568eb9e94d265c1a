#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "suites/harness/operands.h"

namespace benanza::harness {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// What the system says of the mapping with this address: "rd wr mr mw me ac hg".
std::string mapping_flags(std::uintptr_t address) {
  std::ifstream maps("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_inside = begin <= address && address < end;
    } else if (is_inside && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return "";
}

std::uintptr_t address_of(const std::shared_ptr<std::byte>& block) {
  return reinterpret_cast<std::uintptr_t>(block.get());
}

TEST(HostAllocator, BlocksAreAlignedToCacheLines) {
  const auto block = HostAllocator().allocate(1);
  EXPECT_EQ(address_of(block) % 64, 0);
  EXPECT_EQ(HostAllocator().allocate(0), nullptr);
}

TEST(HostAllocator, LargeBlocksAskForLargePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP();
  for (const std::int64_t bytes : {mebibyte, 3 * mebibyte}) {
    const auto block = HostAllocator().allocate(bytes);
    EXPECT_EQ(address_of(block) % (2 * mebibyte), 0);
    EXPECT_THAT(mapping_flags(address_of(block)), testing::HasSubstr(" hg")) << bytes;
    EXPECT_THAT(mapping_flags(address_of(block) + bytes - 1), testing::HasSubstr(" hg")) << bytes;
  }
}

}  // namespace
}  // namespace benanza::harness
