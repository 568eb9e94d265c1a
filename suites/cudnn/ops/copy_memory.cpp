#include <algorithm>
#include <utility>

#include "suites/cudnn/ops/movement.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/check.h"

// Copies of whole rows by the CUDA runtime, without a library: the baseline for cuDNN's own calls.
namespace benanza::cudnn {
namespace {

constexpr std::string_view name = "memcpy";

/// `count` rows of `bytes` each, with strides `from` and `to` in bytes.
struct Rows {
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
std::vector<Rows> rows_of(const Move& move) {
  constexpr std::size_t most_blocks = 8;
  const std::int64_t size = element_bytes(move.from.precision);
  const Copy merged = Copy{move.from.dims, move.from.strides, move.to.format.strides}.canonical();
  if (merged.from.back() != 1 || merged.to.back() != 1) {
    throw harness::Unsupported("cudaMemcpy2D moves whole rows: here every element lies apart");
  }
  Rows block{.input = move.input,
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
  std::vector<Rows> blocks{block};
  while (axes-- > 0) {
    std::vector<Rows> repeated;
    if (blocks.size() * static_cast<std::size_t>(merged.dims[axes]) > most_blocks) {
      throw harness::Unsupported("cudaMemcpy2D would be called more than 8 times");
    }
    for (std::int64_t i = 0; i < merged.dims[axes]; ++i) {
      for (Rows next : blocks) {
        next.from_begin += i * merged.from[axes] * size;
        next.to_begin += i * merged.to[axes] * size;
        repeated.push_back(next);
      }
    }
    blocks = std::move(repeated);
  }
  for (const Rows& rows : blocks) {
    if (rows.count > 1 && (rows.from < rows.bytes || rows.to < rows.bytes)) {
      throw harness::Unsupported("cudaMemcpy2D reads and writes no row twice");
    }
  }
  return blocks;
}

class MemoryPrimitive final : public CudnnPrimitive {
 public:
  MemoryPrimitive(Library& library, const harness::Variant& variant, std::vector<Rows> blocks)
      : CudnnPrimitive(library, variant, dense_inputs(variant)), blocks_(std::move(blocks)) {}

  void run() override {
    for (const Rows& rows : blocks_) {
      nvidia::check(cudaMemcpy2DAsync(
                        output() + rows.to_begin, static_cast<std::size_t>(rows.to),
                        input(rows.input) + rows.from_begin, static_cast<std::size_t>(rows.from),
                        static_cast<std::size_t>(rows.bytes), static_cast<std::size_t>(rows.count),
                        cudaMemcpyDeviceToDevice, stream()),
                    "cudaMemcpy2DAsync");
    }
  }

 private:
  std::vector<Rows> blocks_;
};

std::vector<Rows> all_rows(const std::vector<Move>& moves) {
  std::vector<Rows> all;
  for (const Move& move : moves) {
    for (Rows& rows : rows_of(move)) all.push_back(rows);
  }
  return all;
}

template <class Shape>
harness::Solver<Library, Shape> memory_solver(std::vector<Layout> (*layouts)(const Shape&)) {
  const auto rows = [](const Shape& shape, const harness::Variant& variant) {
    if (variant.precision == Precision::int8 && harness::int8_scale(variant.problem) != 1) {
      throw harness::Unsupported("cudaMemcpy2D scales nothing");
    }
    return all_rows(map_movement(shape, variant.precision, variant.layout));
  };
  return {.layouts = layouts,
          .algorithms = [rows](Library&, const Shape& shape, const harness::Variant& prototype,
                               harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
            rows(shape, prototype);
            return {std::string(name)};
          },
          .create =
              [rows](Library& library, const Shape& shape, const harness::Variant& variant) {
                return std::make_unique<MemoryPrimitive>(library, variant, rows(shape, variant));
              },
          .owns = [](const harness::Algorithm& algorithm) { return algorithm == name; }};
}

}  // namespace

void register_copy_memory(SolverTable& table) {
  table.add(memory_solver<Copy>([](const Copy&) { return std::vector{Layout::plain}; }));
  table.add(
      memory_solver<Concat>([](const Concat& shape) { return image_layouts(shape.output()); }));
}

}  // namespace benanza::cudnn
