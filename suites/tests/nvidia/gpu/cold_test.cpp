// Checks cold measurements with the hardware's counters of the traffic between L2 cache and memory.
#include "core/statistics/summary.h"
#include "suites/nvidia/run/primitive.h"
#include "suites/tests/nvidia/gpu/gpu.h"

namespace benanza::nvidia {
namespace {

/// Copies within the device.
class Copy final : public CudaPrimitive {
 public:
  Copy(CudaContext& context, harness::Operands& places, std::int64_t bytes)
      : CudaPrimitive(context, places,
                      {.inputs = {tensor_format(Precision::int8, {bytes}, Layout::plain)},
                       .results = {tensor_format(Precision::int8, {bytes}, Layout::plain)}}),
        bytes_(bytes) {}

  void run() override {
    check(cudaMemcpyAsync(output(), input(0), static_cast<std::size_t>(bytes_),
                          cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }

 private:
  std::int64_t bytes_;
};

struct Cold : OnGpu {
  void SetUp() override {
    CudaOptions options;
    options.counters = true;
    open(options);
  }

  /// Returns the bytes that one timed copy of `bytes` reads from memory; empty if the counters
  /// cannot be read.
  std::optional<double> dram_read_bytes(std::int64_t bytes, bool cold) {
    CudaContext& context = gpu->get();
    harness::OwnOperands places(context.allocator());
    Copy copy(context, places, bytes);
    copy.fill_inputs(CudaPrimitive::Values::random);
    if (cold) {
      context.stopwatch().time_cold(copy);
    } else {
      context.stopwatch().time(copy, 10);
    }
    const Facts facts = copy.profile();
    const auto found = facts.find("dram_read_bytes");
    if (found != facts.end()) return std::get<double>(found->second);
    const auto why = facts.find("counters_unavailable");
    if (why != facts.end()) unavailable = std::get<std::string>(why->second);
    return std::nullopt;
  }

  /// The L2 cache holds operand and result of this size several times.
  std::int64_t small() { return gpu->get().l2_bytes() / 8; }

  std::string unavailable = "the chip has no such counter";
};

TEST_F(Cold, ACopyReadsItsOperandFromMemory) {
  for (const std::int64_t bytes : {small() / 8, small(), 4 * small()}) {
    const auto read = dram_read_bytes(bytes, true);
    if (!read) GTEST_SKIP() << unavailable;
    // Allows a fiftieth for lines that the flush left in the cache.
    EXPECT_GE(*read, 0.98 * static_cast<double>(bytes)) << bytes;
  }
}

TEST_F(Cold, ATimeHasNothingOfTheEvents) {
  // What a call of 64 KiB waits for is latency: a microsecond or two, no more than events take.
  CudaContext& context = gpu->get();
  harness::OwnOperands places(context.allocator());
  Copy copy(context, places, 1 << 16);
  copy.fill_inputs(CudaPrimitive::Values::random);
  std::vector<double> cold;
  for (int sample = 0; sample < 20; ++sample) {
    cold.push_back(context.stopwatch().time_cold(copy));
  }
  const double event_seconds = std::get<double>(copy.facts().at("event_seconds"));
  const double hot = context.stopwatch().time(copy, 100) / 100;
  EXPECT_GT(event_seconds, 0.3e-6);
  // A copy in a graph and one between events begin differently.
  EXPECT_GE(median(cold), hot - 0.5e-6);
  EXPECT_LE(median(cold), hot + 2e-6) << hot << " hot, events " << event_seconds;
}

TEST_F(Cold, HotASmallCopyReadsItsOperandFromTheCache) {
  const auto read = dram_read_bytes(small(), false);
  if (!read) GTEST_SKIP() << unavailable;
  EXPECT_LE(*read, 0.1 * static_cast<double>(small()));
}

TEST_F(Cold, HotALargeCopyReadsItsOperandFromMemory) {
  const std::int64_t large = 8 * gpu->get().l2_bytes();
  const auto read = dram_read_bytes(large, false);
  if (!read) GTEST_SKIP() << unavailable;
  EXPECT_GE(*read, 0.8 * static_cast<double>(large));
}

}  // namespace
}  // namespace benanza::nvidia
