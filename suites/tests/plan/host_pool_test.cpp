#include "suites/plan/host_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace benanza::plan {
namespace {

TEST(HostPool, GivesBlocksThatDoNotOverlapAndOutliveIt) {
  constexpr std::int64_t mebi = std::int64_t{1} << 20;
  // The last but one is larger than a chunk, and the last behind it.
  const std::vector<std::int64_t> sizes{1, 63, 64, 65, 20 * mebi, 20 * mebi, 100 * mebi, 5};
  std::vector<std::shared_ptr<std::byte>> blocks;
  {
    HostPool pool;
    EXPECT_EQ(pool.allocate(0), nullptr);
    for (const std::int64_t size : sizes) blocks.push_back(pool.allocate(size));
  }
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks[index].get()) % 64, 0U);
    std::memset(blocks[index].get(), static_cast<int>(index),
                static_cast<std::size_t>(sizes[index]));
  }
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    const auto* const begin = blocks[index].get();
    EXPECT_EQ(begin[0], static_cast<std::byte>(index));
    EXPECT_EQ(begin[sizes[index] - 1], static_cast<std::byte>(index));
  }
}

}  // namespace
}  // namespace benanza::plan
