#include <utility>
#include <vector>

#include "suites/cudnn/ops/movement.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"
#include "suites/nvidia/device/check.h"

// Copies of whole rows by the CUDA runtime, without a library: the baseline for cuDNN's own calls.
namespace benanza::cudnn {
namespace {

/// `count` rows of `bytes` each, with strides `from` and `to` in bytes.
struct CopyMemoryRows {
  std::size_t input = 0;
  std::int64_t from_begin = 0;
  std::int64_t to_begin = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// The rows of one move, in several blocks if they are not evenly spaced. Throws Unsupported for
/// elements that are not contiguous, and for more than `most_blocks`.
std::vector<CopyMemoryRows> copy_memory_rows_of(const Move& move) {
  constexpr std::size_t most_blocks = 8;
  const std::int64_t size = element_bytes(move.from.precision);
  // In nhwc, pixels come before channels.
  const Copy merged =
      in_order_of_result({move.from.dims, move.from.strides, move.to.format.strides});
  if (merged.from.back() != 1 || merged.to.back() != 1) {
    throw harness::Unsupported("cudaMemcpy2D moves whole rows: here every element lies apart");
  }
  CopyMemoryRows block{.input = move.input,
                       .to_begin = move.to.offset_bytes(),
                       .bytes = merged.dims.back() * size,
                       .from = merged.dims.back() * size,
                       .to = merged.dims.back() * size};
  std::size_t axes = merged.dims.size() - 1;
  if (axes > 0) {
    --axes;
    block.count = merged.dims[axes];
    block.from = merged.from[axes] * size;
    block.to = merged.to[axes] * size;
  }
  std::vector<CopyMemoryRows> blocks{block};
  while (axes-- > 0) {
    std::vector<CopyMemoryRows> repeated;
    if (blocks.size() * static_cast<std::size_t>(merged.dims[axes]) > most_blocks) {
      throw harness::Unsupported("cudaMemcpy2D would be called more than 8 times");
    }
    for (std::int64_t i = 0; i < merged.dims[axes]; ++i) {
      for (CopyMemoryRows next : blocks) {
        next.from_begin += i * merged.from[axes] * size;
        next.to_begin += i * merged.to[axes] * size;
        repeated.push_back(next);
      }
    }
    blocks = std::move(repeated);
  }
  for (const CopyMemoryRows& rows : blocks) {
    if (rows.count > 1 && (rows.from < rows.bytes || rows.to < rows.bytes)) {
      throw harness::Unsupported("cudaMemcpy2D reads and writes no row twice");
    }
  }
  return blocks;
}

std::vector<CopyMemoryRows> all_rows(const std::vector<Move>& moves) {
  std::vector<CopyMemoryRows> all;
  for (const Move& move : moves) {
    for (CopyMemoryRows& rows : copy_memory_rows_of(move)) all.push_back(rows);
  }
  return all;
}

template <class Shape>
Ways copy_memory_ways(Library& library, const Shape& shape, const harness::Variant& prototype) {
  if (prototype.precision == Precision::int8 && harness::int8_scale(prototype.problem) != 1) {
    throw harness::Unsupported("cudaMemcpy2D scales nothing");
  }
  const std::vector<CopyMemoryRows> blocks =
      all_rows(map_movement(shape, prototype.precision, prototype.layout));
  return {nvidia::way_of(
      library, prototype, "memcpy",
      [blocks](const Request& request) {
        return call_of(request, dense_setup(request.variant), [blocks](const CudnnPrimitive& call) {
          for (const CopyMemoryRows& rows : blocks) {
            nvidia::check(
                cudaMemcpy2DAsync(
                    call.output() + rows.to_begin, static_cast<std::size_t>(rows.to),
                    call.input(rows.input) + rows.from_begin, static_cast<std::size_t>(rows.from),
                    static_cast<std::size_t>(rows.bytes), static_cast<std::size_t>(rows.count),
                    cudaMemcpyDeviceToDevice, call.stream()),
                "cudaMemcpy2DAsync");
          }
        });
      },
      {.calls = blocks.size()})};
}

}  // namespace

void register_copy_memory(WayTable& table) {
  table.add(functions<Copy>([](const Copy&) { return std::vector{Layout::plain}; },
                            copy_memory_ways<Copy>));
  table.add(functions<Concat>([](const Concat& shape) { return image_layouts(shape.output()); },
                              copy_memory_ways<Concat>));
}

}  // namespace benanza::cudnn
