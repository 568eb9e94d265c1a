#include "suites/nvidia/device/tensor_format.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace benanza::nvidia {

Dims tensor_strides(const Dims& dims, Layout layout) {
  if (layout == Layout::any) throw std::invalid_argument("layout any has no fixed strides");
  const std::size_t rank = dims.size();
  Dims strides(rank);
  std::int64_t step = 1;
  const bool channel_last = layout == Layout::nhwc && rank > 2;
  if (channel_last) {
    strides[1] = step;
    step *= dims[1];
  }
  for (std::size_t axis = rank; axis-- > 0;) {
    if (channel_last && axis == 1) continue;
    strides[axis] = step;
    step *= dims[axis];
  }
  return strides;
}

TensorFormat tensor_format(Precision precision, const Dims& dims, Layout layout) {
  return {.precision = precision, .dims = dims, .strides = tensor_strides(dims, layout)};
}

std::int64_t span_elements(const TensorFormat& format) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < format.dims.size(); ++axis) {
    last += (format.dims[axis] - 1) * format.strides[axis];
  }
  return last + 1;
}

std::int64_t span_bytes(const TensorFormat& format) {
  return span_elements(format) * element_bytes(format.precision);
}

namespace {

struct Fp32 {
  using Storage = float;
  static Storage encode(float value) { return value; }
  static float decode(Storage stored) { return stored; }
};

struct Fp16 {
  using Storage = __half;
  static Storage encode(float value) { return __float2half_rn(value); }
  static float decode(Storage stored) { return __half2float(stored); }
};

struct Bf16 {
  using Storage = __nv_bfloat16;
  static Storage encode(float value) { return __float2bfloat16_rn(value); }
  static float decode(Storage stored) { return __bfloat162float(stored); }
};

struct Int8 {
  using Storage = std::int8_t;
  static Storage encode(float value) {
    return static_cast<Storage>(std::clamp(std::nearbyint(value), -128.0F, 127.0F));
  }
  static float decode(Storage stored) { return stored; }
};

struct Fp8 {
  using Storage = __nv_fp8_storage_t;
  static Storage encode(float value) {
    return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  }
  static float decode(Storage stored) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(stored, __NV_E4M3)));
  }
};

template <class Function>
auto with_codec(Precision precision, Function function) {
  switch (precision) {
    case Precision::fp16:
      return function(Fp16{});
    case Precision::bf16:
      return function(Bf16{});
    case Precision::int8:
      return function(Int8{});
    case Precision::fp8:
      return function(Fp8{});
    case Precision::fp32:
    case Precision::tf32:
      break;
  }
  return function(Fp32{});
}

/// One axis of the traversal: `extent` steps with a stride of `row_major` elements on the host and
/// of `stored` elements in memory.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t row_major = 0;
  std::int64_t stored = 0;
};

/// The axes of the traversal, outermost first. Axes of extent 1 are dropped, and neighbours that
/// are contiguous in both orders are merged.
std::vector<Axis> walk_of(const TensorFormat& format) {
  std::vector<Axis> axes;
  std::int64_t step = 1;
  for (std::size_t axis = format.dims.size(); axis-- > 0;) {
    const Axis next{format.dims[axis], step, format.strides[axis]};
    step *= next.extent;
    if (next.extent == 1) continue;
    if (!axes.empty() && next.stored == axes.back().extent * axes.back().stored) {
      axes.back().extent *= next.extent;
    } else {
      axes.push_back(next);
    }
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// Calls move(row-major offset, stored offset) for every element. The axis that is contiguous on
/// the host and the one that is contiguous in memory are traversed in square tiles, so that both
/// sides stay in cache.
template <class Move>
void walk(const std::vector<Axis>& axes, Move move) {
  constexpr std::int64_t tile = 32;
  std::vector<Axis> outer = axes;
  const auto take = [&](auto closer) {
    if (outer.empty()) return Axis{};
    const auto axis = std::min_element(outer.begin(), outer.end(), closer);
    const Axis taken = *axis;
    outer.erase(axis);
    return taken;
  };
  const Axis inner = take([](const Axis& a, const Axis& b) { return a.row_major < b.row_major; });
  const Axis across = take([](const Axis& a, const Axis& b) { return a.stored < b.stored; });

  Dims index(outer.size());
  std::int64_t host_base = 0;
  std::int64_t stored_base = 0;
  for (;;) {
    for (std::int64_t j0 = 0; j0 < across.extent; j0 += tile) {
      const std::int64_t j1 = std::min(across.extent, j0 + tile);
      // Rows are split into tiles only if there is a second axis.
      const std::int64_t step = across.extent == 1 ? inner.extent : tile;
      for (std::int64_t i0 = 0; i0 < inner.extent; i0 += step) {
        const std::int64_t i1 = std::min(inner.extent, i0 + step);
        for (std::int64_t j = j0; j < j1; ++j) {
          const std::int64_t host = host_base + j * across.row_major;
          const std::int64_t stored = stored_base + j * across.stored;
          for (std::int64_t i = i0; i < i1; ++i) {
            move(host + i * inner.row_major, stored + i * inner.stored);
          }
        }
      }
    }
    std::size_t axis = outer.size();
    for (;;) {
      if (axis == 0) return;
      --axis;
      host_base += outer[axis].row_major;
      stored_base += outer[axis].stored;
      if (++index[axis] < outer[axis].extent) break;
      host_base -= outer[axis].row_major * outer[axis].extent;
      stored_base -= outer[axis].stored * outer[axis].extent;
      index[axis] = 0;
    }
  }
}

/// walk(), with the outermost axis split among threads if there are many elements: converting a
/// batch of images would otherwise take longer than computing with it.
template <class Move>
void walk_together(const std::vector<Axis>& axes, Move move) {
  constexpr std::int64_t alone_elements = 1 << 20;
  std::int64_t elements = 1;
  for (const Axis& axis : axes) elements *= axis.extent;
  const std::int64_t processors = std::max(1U, std::thread::hardware_concurrency());
  if (elements <= alone_elements || processors == 1) return walk(axes, move);
  const Axis outermost = axes.front();
  const std::int64_t parts = std::min(processors, outermost.extent);
  std::vector<std::jthread> workers;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t begin = outermost.extent * part / parts;
    std::vector<Axis> own = axes;
    own.front().extent = outermost.extent * (part + 1) / parts - begin;
    const std::int64_t host_base = begin * outermost.row_major;
    const std::int64_t stored_base = begin * outermost.stored;
    workers.emplace_back([own = std::move(own), host_base, stored_base, move] {
      walk(own, [&](std::int64_t host, std::int64_t stored) {
        move(host_base + host, stored_base + stored);
      });
    });
  }
}

}  // namespace

std::vector<std::byte> to_storage(std::span<const float> values, const TensorFormat& format) {
  if (static_cast<std::int64_t>(values.size()) != element_count(format.dims)) {
    throw std::invalid_argument("a tensor of " + std::to_string(element_count(format.dims)) +
                                " elements was given " + std::to_string(values.size()));
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(span_bytes(format)));
  with_codec(format.precision, [&](auto codec) {
    using Codec = decltype(codec);
    using Storage = typename Codec::Storage;
    std::byte* const base = bytes.data();
    walk_together(walk_of(format), [&](std::int64_t host, std::int64_t stored) {
      const Storage element = Codec::encode(values[static_cast<std::size_t>(host)]);
      std::memcpy(base + stored * static_cast<std::int64_t>(sizeof(Storage)), &element,
                  sizeof(Storage));
    });
  });
  return bytes;
}

std::vector<float> from_storage(std::span<const std::byte> bytes, const TensorFormat& format) {
  if (static_cast<std::int64_t>(bytes.size()) < span_bytes(format)) {
    throw std::invalid_argument("a tensor's storage is too small");
  }
  std::vector<float> values(static_cast<std::size_t>(element_count(format.dims)));
  with_codec(format.precision, [&](auto codec) {
    using Codec = decltype(codec);
    using Storage = typename Codec::Storage;
    const std::byte* const base = bytes.data();
    walk_together(walk_of(format), [&](std::int64_t host, std::int64_t stored) {
      Storage element;
      std::memcpy(&element, base + stored * static_cast<std::int64_t>(sizeof(Storage)),
                  sizeof(Storage));
      values[static_cast<std::size_t>(host)] = Codec::decode(element);
    });
  });
  return values;
}

std::uint8_t poison_byte(Precision precision) { return precision == Precision::int8 ? 0x80 : 0xFF; }

}  // namespace benanza::nvidia
