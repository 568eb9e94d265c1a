#include <gtest/gtest.h>

#include "suites/harness/row_gather.h"
#include "suites/tests/nvidia/gpu/gpu.h"

namespace benanza::nvidia {
namespace {

/// What the GPU makes of rows of `row_bytes` against the host.
template <class Index>
void expect_equal_rows(CudaContext& gpu, std::int64_t row_bytes) {
  harness::RowGather rows{
      .index_bytes = sizeof(Index), .outer = 3, .extent = 7, .count = 4, .row_bytes = row_bytes};
  std::vector<std::byte> source(static_cast<std::size_t>(rows.outer * rows.extent * row_bytes));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 31 % 251);
  const std::vector<Index> chosen{6, -7, 3, 3};
  const auto indices = std::as_bytes(std::span(chosen));
  std::vector<std::byte> expected(static_cast<std::size_t>(rows.outer * rows.count * row_bytes));
  std::vector<std::byte> found(expected.size());
  rows.source = source.data();
  rows.indices = indices.data();
  rows.target = expected.data();
  gather_on_host(rows);

  DeviceAllocator& memory = gpu.allocator();
  const auto on_device = [&](std::span<const std::byte> bytes) {
    auto block = memory.allocate(static_cast<std::int64_t>(bytes.size()));
    memory.write(block.get(), bytes);
    return block;
  };
  const auto device_source = on_device(source);
  const auto device_indices = on_device(indices);
  const auto target = on_device(found);
  rows.source = device_source.get();
  rows.indices = device_indices.get();
  rows.target = target.get();
  gpu.code().gather(rows, gpu.stream());
  memory.read(found, target.get());
  EXPECT_EQ(found, expected) << row_bytes << " bytes a row";
}

TEST_F(OnGpu, GathersRowsAsTheHostDoes) {
  for (const std::int64_t row_bytes : {2, 4, 10, 16, 1536, 4096, 4112, 8194}) {
    expect_equal_rows<std::int64_t>(gpu->get(), row_bytes);
    expect_equal_rows<std::int32_t>(gpu->get(), row_bytes);
  }
}

TEST_F(OnGpu, GathersNoRowsOfOddSize) {
  EXPECT_THROW(gpu->get().code().gather({.count = 1, .row_bytes = 3}, gpu->get().stream()),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::nvidia
