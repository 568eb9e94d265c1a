// Verification on the device must see the same result as download().
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "suites/nvidia/device/tensor_format.h"
#include "suites/nvidia/run/operand_store.h"
#include "suites/nvidia/run/result_reader.h"
#include "suites/tests/nvidia/gpu/gpu.h"

namespace benanza::nvidia {
namespace {

std::vector<float> counted(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  for (float& value : values) value = std::fmod(value, 256.0F);
  return values;
}

TEST_F(OnGpu, ResultReaderFindsValuesAndWhatIsNoNumber) {
  ResultReader reader;
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
    const TensorFormat format = tensor_format(precision, {2, 8, 5, 7}, Layout::nhwc);
    ASSERT_TRUE(ResultReader::reads(format));
    std::vector<float> values = counted(560);
    DeviceMemory memory(span_bytes(format));
    memory.write(to_storage(values, format), nullptr);
    const std::vector<std::int64_t> places{0, 1, 35, 36, 280, 559};
    const std::vector<float> seen = reader.values(memory.data(), format, places, nullptr);
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(seen[i], values[static_cast<std::size_t>(places[i])]) << places[i];
    }
    EXPECT_EQ(reader.not_a_number(memory.data(), format, nullptr), std::nullopt);
    values[37] = std::numeric_limits<float>::quiet_NaN();
    memory.write(to_storage(values, format), nullptr);
    EXPECT_EQ(reader.not_a_number(memory.data(), format, nullptr), 37);
  }
}

TEST_F(OnGpu, OperandStoreWritesWhatItIsGiven) {
  OperandStore store(1 << 20);
  for (const auto& [precision, layout] :
       {std::pair{Precision::fp16, Layout::nhwc}, std::pair{Precision::fp32, Layout::nhwc},
        std::pair{Precision::fp32, Layout::nchw}}) {
    const TensorFormat format = tensor_format(precision, {4, 8, 3, 3}, layout);
    std::vector<float> values = counted(288);
    const auto written = [&] {
      DeviceMemory memory(span_bytes(format));
      store.write(values, format, memory, nullptr);
      std::vector<std::byte> bytes(static_cast<std::size_t>(memory.size_bytes()));
      memory.read(bytes, nullptr);
      return from_storage(bytes, format);
    };
    EXPECT_EQ(written(), values);
    EXPECT_EQ(written(), values) << "known now";
    values[100] += 1;
    EXPECT_EQ(written(), values) << "other values at the same place";
    values.pop_back();
    EXPECT_THROW(written(), std::invalid_argument) << "a value is missing";
  }
}

}  // namespace
}  // namespace benanza::nvidia
