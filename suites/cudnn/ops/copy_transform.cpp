#include <algorithm>
#include <optional>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/movement.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"

// Copies that cudnnTransformTensor does several times as fast if they are presented as something it
// has kernels for: a conversion between nchw and nhwc, or elements of eight bytes.
namespace benanza::cudnn {
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

void register_copy_transform(WayTable& table) {
  table.add(functions_of<Copy>([](const Copy&) { return std::vector{Layout::plain}; }, presented,
                               copy_transform_primitive));
}

}  // namespace benanza::cudnn
