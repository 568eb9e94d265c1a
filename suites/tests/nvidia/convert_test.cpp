#include "suites/nvidia/device/tensor_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace benanza::nvidia {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

/// The stored elements as unsigned integers of T's width.
template <class T>
std::vector<T> words(const std::vector<std::byte>& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

std::vector<std::byte> store(Precision precision, const std::vector<float>& values) {
  const Dims dims{static_cast<std::int64_t>(values.size())};
  return to_storage(values, tensor_format(precision, dims, Layout::plain));
}

TEST(ToStorage, Fp16BitsAndRounding) {
  // 1 + 2^-11 is half-way between 1 and its successor: rounds to even.
  EXPECT_THAT(words<std::uint16_t>(store(Precision::fp16, {1, -2, 65504, 1.00048828125F, 1e6F})),
              ElementsAre(0x3C00, 0xC000, 0x7BFF, 0x3C00, 0x7C00));
}

TEST(ToStorage, Bf16Bits) {
  EXPECT_THAT(words<std::uint16_t>(store(Precision::bf16, {1, -2, 0.15625F})),
              ElementsAre(0x3F80, 0xC000, 0x3E20));
}

TEST(ToStorage, Int8RoundsToEvenAndSaturates) {
  EXPECT_THAT(words<std::int8_t>(store(Precision::int8, {0.5F, 1.5F, -2.5F, 127.4F, 300, -300})),
              ElementsAre(0, 2, -2, 127, 127, -128));
}

TEST(ToStorage, Fp8BitsAndSaturation) {
  // e4m3: bias 7, 1.0 is 0.0111.000; the largest finite is 448 = 0.1111.110.
  EXPECT_THAT(words<std::uint8_t>(store(Precision::fp8, {1, -1, 0.125F, 448, 1000, -1000})),
              ElementsAre(0x38, 0xB8, 0x20, 0x7E, 0x7E, 0xFE));
}

TEST(ToStorage, NhwcPutsChannelsInnermost) {
  // 1 x 2 x 2 x 3; channel 0 is 0..5, channel 1 is 10..15.
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};
  const auto bytes = to_storage(values, tensor_format(Precision::int8, {1, 2, 2, 3}, Layout::nhwc));
  EXPECT_THAT(words<std::int8_t>(bytes), ElementsAre(0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15));
}

TEST(ToStorage, TransposedMatrixAndPadding) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(words<float>(to_storage(values, {Precision::fp32, {2, 3}, {1, 2}})),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(words<float>(to_storage(values, {Precision::fp32, {2, 3}, {4, 1}})),
              ElementsAre(1, 2, 3, 0, 4, 5, 6));
}

TEST(ToStorage, RefusesAnotherNumberOfValues) {
  EXPECT_THROW(
      to_storage(std::vector<float>(5), tensor_format(Precision::fp32, {2, 3}, Layout::plain)),
      std::invalid_argument);
}

TEST(FromStorage, RefusesShortStorage) {
  EXPECT_THROW(from_storage(std::vector<std::byte>(23),
                            tensor_format(Precision::fp32, {2, 3}, Layout::plain)),
               std::invalid_argument);
}

/// Checks the stored address of every element, for tensors larger than a tile.
void expect_addresses(const TensorFormat& format) {
  std::vector<float> values(static_cast<std::size_t>(element_count(format.dims)));
  std::iota(values.begin(), values.end(), 0.0F);
  const auto bytes = to_storage(values, format);
  const auto stored = words<float>(bytes);
  Dims index(format.dims.size());
  for (const float value : values) {
    std::int64_t address = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      address += index[axis] * format.strides[axis];
    }
    ASSERT_EQ(stored.at(static_cast<std::size_t>(address)), value);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < format.dims[axis]) break;
      index[axis] = 0;
    }
  }
  EXPECT_THAT(from_storage(bytes, format), ElementsAreArray(values));
}

TEST(Storage, EveryElementAtItsAddress) {
  for (const Dims& dims : {Dims{3, 70, 41}, Dims{2, 35, 9, 40}, Dims{2, 33, 3, 5, 7},
                           Dims{1, 1, 50, 40}, Dims{1, 40, 1, 1}, Dims{5},
                           // Large enough for several threads.
                           Dims{3, 70, 90, 61}, Dims{1 << 21}}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      SCOPED_TRACE(join(dims, 'x') + " " + std::string(to_string(layout)));
      expect_addresses(tensor_format(Precision::fp32, dims, layout));
    }
  }
  expect_addresses({Precision::fp32, {70, 45}, {1, 80}});
  expect_addresses({Precision::fp32, {4, 6, 5}, {1, 4, 24}});
  expect_addresses({Precision::fp32, {3, 40, 40}, {2000, 50, 1}});
}

TEST(Storage, EveryPrecisionGivesBackWhatItHoldsExactly) {
  const std::vector<float> values{0, 1, -1, 2, -3, 7, -8, 5, 6, -4, 3, -2};
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16,
                                    Precision::bf16, Precision::int8, Precision::fp8}) {
    const TensorFormat format = tensor_format(precision, {1, 3, 2, 2}, Layout::nhwc);
    EXPECT_THAT(from_storage(to_storage(values, format), format), ElementsAreArray(values))
        << to_string(precision);
  }
}

TEST(PoisonByte, IsWhatNoCorrectCallLeaves) {
  for (const Precision precision :
       {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8}) {
    const TensorFormat format = tensor_format(precision, {3}, Layout::plain);
    const std::vector<std::byte> bytes(static_cast<std::size_t>(span_bytes(format)),
                                       std::byte{poison_byte(precision)});
    for (const float value : from_storage(bytes, format)) {
      EXPECT_TRUE(std::isnan(value)) << to_string(precision);
    }
  }
  const TensorFormat integers = tensor_format(Precision::int8, {1}, Layout::plain);
  const std::vector<std::byte> byte{std::byte{poison_byte(Precision::int8)}};
  EXPECT_THAT(from_storage(byte, integers), ElementsAre(-128));
}

}  // namespace
}  // namespace benanza::nvidia
