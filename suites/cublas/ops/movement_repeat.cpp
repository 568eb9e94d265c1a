#include <array>
#include <memory>
#include <string>
#include <vector>

#include "suites/cublas/repeat_product.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/run/primitive.h"

// Copies that repeat elements, as Expand and the enlargement of images to the nearest pixel do, by
// cublasGemmStridedBatchedEx(). Every sum has one term that is not 0, so the result is exact unless
// the data contain infinities or NaNs.
namespace benanza::cublas {
namespace {

struct Way {
  std::string_view name;
  Repeats side;
};
constexpr std::array ways{Way{"gemm.repeat_columns", Repeats::columns},
                          Way{"gemm.repeat_rows", Repeats::rows}};

nvidia::TensorFormat format(Precision precision, const Dims& dims) {
  return nvidia::tensor_format(precision, dims, Layout::plain);
}

class Repeated final : public nvidia::CudaPrimitive {
 public:
  Repeated(Library& library, const Copy& shape, const harness::Variant& variant, Repeats side)
      : CudaPrimitive(library.cuda(), {format(variant.precision, shape.inputs().front().dims)},
                      format(variant.precision, shape.output()), 0),
        library_(library),
        product_(repeat_product(shape, side)),
        // Not TF32, which would round the elements.
        types_(
            types_of(variant.precision == Precision::tf32 ? Precision::fp32 : variant.precision)) {
    const nvidia::TensorFormat ones =
        format(variant.precision, {static_cast<std::int64_t>(product_.ones.size())});
    ones_ = nvidia::DeviceMemory(nvidia::span_bytes(ones));
    ones_.write(nvidia::to_storage(product_.ones, ones), stream());
    guard(work(variant.problem, variant.precision), variant.precision);
  }

  /// BLAS is column-major: it computes the transposed result, with the factors exchanged.
  void run() override {
    constexpr float alpha = 1;
    constexpr float beta = 0;
    const auto& [side, m, n, k, batches, stride_data, values] = product_;
    const bool columns = side == Repeats::columns;
    const std::byte* first = columns ? ones_.data() : input(0);
    const std::byte* second = columns ? input(0) : ones_.data();
    check(cublasGemmStridedBatchedEx_64(library_.handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                        &alpha, first, types_.operand, n, columns ? 0 : stride_data,
                                        second, types_.operand, k, columns ? stride_data : 0, &beta,
                                        output(), types_.operand, n, m * n, batches, types_.compute,
                                        CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx");
  }

 private:
  Library& library_;
  RepeatProduct product_;
  Types types_;
  nvidia::DeviceMemory ones_;
};

}  // namespace

void register_movement_repeat(SolverTable& table) {
  table.add<Copy>({.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
                   .algorithms = [](Library&, const Copy& shape, const harness::Variant& prototype,
                                    harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
                     if (element_bytes(prototype.precision) == 1) {
                       throw harness::Unsupported(
                           "products that repeat elements have no 8-bit result here");
                     }
                     std::vector<harness::Algorithm> names;
                     std::string refusal;
                     for (const Way& way : ways) {
                       try {
                         repeat_product(shape, way.side);
                         names.emplace_back(way.name);
                       } catch (const harness::Unsupported& none) {
                         if (refusal.empty()) refusal = none.what();
                       }
                     }
                     if (names.empty()) throw harness::Unsupported(refusal);
                     return names;
                   },
                   .create =
                       [](Library& library, const Copy& shape, const harness::Variant& variant) {
                         for (const Way& way : ways) {
                           if (way.name != variant.algorithm) continue;
                           return std::make_unique<Repeated>(library, shape, variant, way.side);
                         }
                         throw harness::Unsupported("no product for " + variant.algorithm);
                       },
                   .owns =
                       [](const harness::Algorithm& algorithm) {
                         return algorithm.starts_with("gemm.repeat_");
                       }});
}

}  // namespace benanza::cublas
