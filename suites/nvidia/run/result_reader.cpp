#include "suites/nvidia/run/result_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {
namespace {

constexpr char ptx[] = R"ptx(
.version 6.4
.target sm_75
.address_size 64

// values[i] = the element of `size` (2 or 4) bytes at base + offsets[i], for i < count.
.visible .entry benanza_gather(.param .u64 base, .param .u64 offsets, .param .u64 values,
                               .param .u32 count, .param .u32 size)
{
  .reg .pred %p;
  .reg .b16 %half;
  .reg .b32 %i, %thread, %block, %width, %n, %bytes, %value;
  .reg .b64 %from, %table, %to, %place, %offset;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mad.lo.u32 %i, %block, %width, %thread;
  ld.param.u32 %n, [count];
  setp.ge.u32 %p, %i, %n;
  @%p bra done;
  ld.param.u64 %from, [base];
  ld.param.u64 %table, [offsets];
  ld.param.u64 %to, [values];
  ld.param.u32 %bytes, [size];
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %table, %table;
  cvta.to.global.u64 %to, %to;
  mul.wide.u32 %place, %i, 8;
  add.s64 %place, %table, %place;
  ld.global.u64 %offset, [%place];
  add.s64 %from, %from, %offset;
  setp.eq.u32 %p, %bytes, 2;
  @%p bra two;
  ld.global.u32 %value, [%from];
  bra.uni store;
two:
  ld.global.u16 %half, [%from];
  cvt.u32.u16 %value, %half;
store:
  mul.wide.u32 %place, %i, 4;
  add.s64 %to, %to, %place;
  st.global.u32 [%to], %value;
done:
  ret;
}

// first = the least index of an element whose bits, but for the sign, are above `largest`.
.visible .entry benanza_find(.param .u64 base, .param .u64 count, .param .u32 size,
                             .param .u32 mask, .param .u32 largest, .param .u64 first)
{
  .reg .pred %p, %is_half;
  .reg .b16 %half;
  .reg .b32 %thread, %block, %width, %blocks, %bytes, %value, %bits, %most;
  .reg .b64 %from, %to, %i, %step, %n, %place, %wide;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %i, %block, %width;
  cvt.u64.u32 %wide, %thread;
  add.s64 %i, %i, %wide;
  mul.wide.u32 %step, %blocks, %width;
  ld.param.u64 %from, [base];
  ld.param.u64 %n, [count];
  ld.param.u32 %bytes, [size];
  ld.param.u32 %bits, [mask];
  ld.param.u32 %most, [largest];
  ld.param.u64 %to, [first];
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %to, %to;
  cvt.u64.u32 %wide, %bytes;
  setp.eq.u32 %is_half, %bytes, 2;
next:
  setp.ge.u64 %p, %i, %n;
  @%p bra done;
  mul.lo.u64 %place, %i, %wide;
  add.s64 %place, %from, %place;
  @%is_half bra two;
  ld.global.u32 %value, [%place];
  bra.uni compare;
two:
  ld.global.u16 %half, [%place];
  cvt.u32.u16 %value, %half;
compare:
  and.b32 %value, %value, %bits;
  setp.gt.u32 %p, %value, %most;
  @!%p bra step;
  red.global.min.u64 [%to], %i;
step:
  add.s64 %i, %i, %step;
  bra.uni next;
done:
  ret;
}
)ptx";

constexpr unsigned threads = 256;

void launch(cudaKernel_t kernel, unsigned blocks, void** arguments, cudaStream_t stream) {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads),
                         arguments, 0, stream),
        "cudaLaunchKernel");
}

/// The axes in memory order, outermost first.
std::vector<std::size_t> memory_order(const TensorFormat& format) {
  std::vector<std::size_t> order(format.dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t axis) { return format.strides[axis]; });
  return order;
}

/// The inverse of stored_place(), for a dense tensor.
std::int64_t row_major_place(const TensorFormat& format, std::int64_t stored) {
  Dims at(format.dims.size());
  for (const std::size_t axis : memory_order(format)) {
    if (format.dims[axis] == 1) continue;
    at[axis] = stored / format.strides[axis];
    stored %= format.strides[axis];
  }
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) place = place * format.dims[axis] + at[axis];
  return place;
}

}  // namespace

std::int64_t stored_place(const TensorFormat& format, std::int64_t place) {
  if (place < 0 || place >= element_count(format.dims)) {
    throw std::out_of_range("a result of " + std::to_string(element_count(format.dims)) +
                            " elements has none at place " + std::to_string(place));
  }
  std::int64_t stored = 0;
  for (std::size_t axis = format.dims.size(); axis-- > 0;) {
    stored += place % format.dims[axis] * format.strides[axis];
    place /= format.dims[axis];
  }
  return stored;
}

ResultReader::ResultReader() {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData of verification's kernels");
  library_.reset(library);
  check(cudaLibraryGetKernel(&gather_, library, "benanza_gather"), "cudaLibraryGetKernel");
  check(cudaLibraryGetKernel(&find_, library, "benanza_find"), "cudaLibraryGetKernel");
}

bool ResultReader::reads(const TensorFormat& format) {
  const bool is_float = format.precision != Precision::int8 && format.precision != Precision::fp8;
  return is_float && span_elements(format) == element_count(format.dims);
}

std::byte* ResultReader::scratch(std::int64_t bytes) {
  if (scratch_.size_bytes() < bytes) scratch_ = DeviceMemory(bytes);
  return scratch_.data();
}

std::vector<float> ResultReader::values(const std::byte* memory, const TensorFormat& format,
                                        std::span<const std::int64_t> places, cudaStream_t stream) {
  auto count = static_cast<std::uint32_t>(places.size());
  if (count == 0) return {};
  auto size = static_cast<std::uint32_t>(element_bytes(format.precision));
  std::vector<std::int64_t> offsets;
  for (const std::int64_t place : places) offsets.push_back(stored_place(format, place) * size);
  const auto offset_bytes = std::as_bytes(std::span(offsets));
  const auto word = static_cast<std::int64_t>(sizeof(std::uint32_t));
  std::byte* table = scratch(static_cast<std::int64_t>(offset_bytes.size()) + count * word);
  scratch_.write(offset_bytes, stream);
  std::byte* gathered = table + offset_bytes.size();
  void* arguments[] = {&memory, &table, &gathered, &count, &size};
  launch(gather_, (count + threads - 1) / threads, arguments, stream);
  std::vector<std::uint32_t> words(count);
  check(cudaMemcpyAsync(words.data(), gathered, count * sizeof(std::uint32_t),
                        cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  synchronize(stream);
  // The elements in consecutive storage.
  std::vector<std::byte> bytes(std::size_t{count} * size);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * size, &words[i], size);
  return from_storage(bytes, tensor_format(format.precision, {count}, Layout::plain));
}

std::optional<std::int64_t> ResultReader::not_a_number(const std::byte* memory,
                                                       const TensorFormat& format,
                                                       cudaStream_t stream) {
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t most_blocks = 4096;
  auto count = static_cast<std::uint64_t>(element_count(format.dims));
  auto size = static_cast<std::uint32_t>(element_bytes(format.precision));
  const bool is_half = format.precision == Precision::fp16;
  const bool is_bfloat = format.precision == Precision::bf16;
  std::uint32_t mask = is_half || is_bfloat ? 0x7fffU : 0x7fffffffU;
  // Infinity; larger bit patterns are NaN.
  std::uint32_t largest = is_half ? 0x7c00U : is_bfloat ? 0x7f80U : 0x7f800000U;
  std::byte* first = scratch(sizeof none);
  scratch_.write(std::as_bytes(std::span(&none, 1)), stream);
  void* arguments[] = {&memory, &count, &size, &mask, &largest, &first};
  launch(find_, static_cast<unsigned>(std::clamp<std::uint64_t>(count / threads, 1, most_blocks)),
         arguments, stream);
  std::uint64_t found = none;
  check(cudaMemcpyAsync(&found, first, sizeof found, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  synchronize(stream);
  if (found == none) return std::nullopt;
  return row_major_place(format, static_cast<std::int64_t>(found));
}

}  // namespace benanza::nvidia
