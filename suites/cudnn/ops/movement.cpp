#include "suites/cudnn/ops/movement.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/int8_scale.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t minimum_rank = 4;

nvidia::TensorFormat strided(Precision precision, Dims dims, Dims strides) {
  while (dims.size() < minimum_rank) {
    strides.insert(strides.begin(), dims.front() * strides.front());
    dims.insert(dims.begin(), 1);
  }
  return {.precision = precision, .dims = std::move(dims), .strides = std::move(strides)};
}

struct Step {
  std::size_t input;
  TensorDescriptor from;
  TensorDescriptor to;
  std::int64_t to_bytes;
};

template <class Shape>
std::unique_ptr<harness::Primitive> movement_primitive(const Request& request, const Shape& shape) {
  std::vector<Step> steps;
  for (const Move& move : map_movement(shape, request.variant.precision, request.variant.layout)) {
    steps.push_back(
        {move.input, make_tensor(move.from), make_tensor(move.to.format), move.to.offset_bytes()});
  }
  return call_of(request, dense_setup(request.variant),
                 [steps = std::move(steps)](const CudnnPrimitive& call) {
                   const float factor = call.scale();
                   for (const Step& step : steps) {
                     BENANZA_CUDNN(cudnnTransformTensor, call.handle(), &factor, step.from.get(),
                                   call.input(step.input), &zero, step.to.get(),
                                   call.output() + step.to_bytes);
                   }
                 });
}

}  // namespace

Copy in_order_of_result(const Copy& shape) {
  std::vector<std::size_t> order(shape.dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t axis) { return shape.to[axis]; });
  Copy sorted;
  for (const std::size_t axis : order) {
    sorted.dims.push_back(shape.dims[axis]);
    sorted.from.push_back(shape.from[axis]);
    sorted.to.push_back(shape.to[axis]);
  }
  return sorted.canonical();
}

std::vector<Move> map_movement(const Copy& shape, Precision precision, Layout) {
  const auto repeats = [](std::int64_t step) { return step == 0; };
  if (std::ranges::any_of(shape.from, repeats)) {
    throw harness::Unsupported("cuDNN's tensors have no step of 0: nothing is broadcast by a copy");
  }
  return {{.input = 0,
           .from = strided(precision, shape.dims, shape.from),
           .to = {.format = strided(precision, shape.dims, shape.to)}}};
}

std::vector<Move> map_movement(const Concat& shape, Precision precision, Layout layout) {
  const nvidia::TensorFormat whole = dense(precision, shape.output(), layout);
  Dims begin(shape.output().size(), 0);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const Dims& dims = shape.parts[i];
    moves.push_back({.input = i,
                     .from = dense(precision, dims, layout),
                     .to = part_of(whole, at_least_4d(begin, 0), at_least_4d(dims))});
    const auto axis = static_cast<std::size_t>(shape.axis);
    begin[axis] += dims[axis];
  }
  return moves;
}

// Copies of whole rows by the CUDA runtime, without a library: the baseline for cuDNN's own calls.
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

namespace {

constexpr std::int64_t word_bytes = 8;

/// The description of both sides for the library.
struct Sides {
  cudnnDataType_t type;
  Dims dims;
  Dims from;
  Dims to;
};

/// A batch of transpositions, as one-row images from nchw to nhwc.
std::optional<Sides> image(const Copy& shape, Precision precision) {
  Copy copy = in_order_of_result(shape);
  if (copy.dims.size() == 2) {
    const std::int64_t elements = copy.dims[0] * copy.dims[1];
    copy.dims.insert(copy.dims.begin(), 1);
    copy.from.insert(copy.from.begin(), elements);
    copy.to.insert(copy.to.begin(), elements);
  }
  if (copy.dims.size() != 3) return std::nullopt;
  const std::int64_t columns = copy.dims[1];
  const std::int64_t rows = copy.dims[2];
  const Dims from{rows * columns, 1, columns};
  if (copy.from != from || copy.to != dense_strides(copy.dims)) return std::nullopt;
  const std::int64_t image = rows * columns;
  return Sides{.type = storage_type(precision),
               .dims = {copy.dims[0], rows, columns, 1},
               .from = {image, columns, 1, 1},
               .to = {image, 1, rows, rows}};
}

/// Rows of whole words. A problem does not include where a slice starts; this assumes that it
/// starts at a word, as parts of tensors with such rows nearly always do.
std::optional<Sides> words(const Copy& shape, Precision precision) {
  constexpr std::size_t rank = 4;
  const std::int64_t elements = word_bytes / element_bytes(precision);
  Copy copy = in_order_of_result(shape);
  if (copy.from.back() != 1 || copy.to.back() != 1 || copy.dims.size() > rank) return std::nullopt;
  if (copy.dims.back() % elements != 0) return std::nullopt;
  copy.dims.back() /= elements;
  for (std::size_t axis = 0; axis + 1 < copy.dims.size(); ++axis) {
    if (copy.from[axis] % elements != 0 || copy.to[axis] % elements != 0) return std::nullopt;
    copy.from[axis] /= elements;
    copy.to[axis] /= elements;
  }
  for (std::size_t axis = copy.dims.size(); axis < rank; ++axis) {
    copy.from.insert(copy.from.begin(), copy.dims.front() * copy.from.front());
    copy.to.insert(copy.to.begin(), copy.dims.front() * copy.to.front());
    copy.dims.insert(copy.dims.begin(), 1);
  }
  return Sides{CUDNN_DATA_DOUBLE, copy.dims, copy.from, copy.to};
}

TensorDescriptor describe(const Sides& sides, const Dims& strides) {
  auto tensor = make_empty_tensor();
  BENANZA_CUDNN(cudnnSetTensorNdDescriptor, tensor.get(), sides.type,
                static_cast<int>(sides.dims.size()), narrow(sides.dims).data(),
                narrow(strides).data());
  return tensor;
}

/// What the library is told of a copy.
struct Presented {
  const char* name;
  Sides sides;
};

std::vector<Presented> presented(const Copy& shape, const harness::Variant& prototype) {
  std::vector<Presented> found;
  const auto add = [&](const char* name, const std::optional<Sides>& sides) {
    if (sides) found.push_back({name, *sides});
  };
  // Bytes may hold any bit pattern, and the library's multiplication by 1 would change some NaNs.
  const Precision precision = prototype.precision;
  if (element_bytes(precision) > 1 && std::ranges::find(shape.from, 0) == shape.from.end()) {
    add("transform_tensor.image", image(shape, precision));
    add("transform_tensor.words", words(shape, precision));
  }
  if (found.empty()) {
    throw harness::Unsupported("the movement is neither a transposition nor one of words");
  }
  return found;
}

std::unique_ptr<harness::Primitive> copy_transform_primitive(const Request& request, const Copy&,
                                                             const Presented& copy) {
  const Sides& sides = copy.sides;
  return call_of(request, dense_setup(request.variant),
                 [is_double = sides.type == CUDNN_DATA_DOUBLE, from = describe(sides, sides.from),
                  to = describe(sides, sides.to)](const CudnnPrimitive& call) {
                   constexpr double double_one = 1;
                   constexpr double double_zero = 0;
                   const void* factor = is_double ? static_cast<const void*>(&double_one) : &one;
                   const void* kept = is_double ? static_cast<const void*>(&double_zero) : &zero;
                   BENANZA_CUDNN(cudnnTransformTensor, call.handle(), factor, from.get(),
                                 call.input(0), kept, to.get(), call.output());
                 });
}

}  // namespace

void register_movement(WayTable& table) {
  const auto plain = [](const Copy&) { return std::vector{Layout::plain}; };
  const auto image = [](const Concat& shape) { return image_layouts(shape.output()); };
  table.add(functions<Copy>(plain, copy_memory_ways<Copy>));
  table.add(functions<Concat>(image, copy_memory_ways<Concat>));
  table.add(functions_of<Copy>(plain, presented, copy_transform_primitive));
  constexpr const char* name = "transform_tensor";
  table.add(function<Copy>(name, plain, movement_primitive<Copy>));
  table.add(function<Concat>(name, image, movement_primitive<Concat>));
}

}  // namespace benanza::cudnn
