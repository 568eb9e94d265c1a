#include <memory>
#include <string>
#include <vector>

#include "suites/cublas/identity_product.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"
#include "suites/harness/primitive.h"

// Copies by cublasGemmBatchedEx(): "gemm_batched.identity64".
namespace benanza::cublas {
namespace {

constexpr std::string_view name = "gemm_batched.identity";

class BatchedProduct final : public IdentityProduct {
 public:
  using IdentityProduct::IdentityProduct;

  void run() override {
    const IdentityBatch& batch = this->batch();
    check(cublasGemmBatchedEx_64(library().handle(), operation(batch.first.transposed),
                                 operation(batch.second.transposed), batch.m, batch.n, batch.k,
                                 batch.one, batch.first.addresses, batch.type, batch.first.ld,
                                 batch.second.addresses, batch.type, batch.second.ld, batch.zero,
                                 batch.results, batch.type, batch.ld_result, batch.count,
                                 batch.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmBatchedEx");
  }
};

/// Throws Unsupported if there is none.
std::vector<IdentityWay> ways(const Copy& shape, Precision precision) {
  std::vector<IdentityWay> found = identity_ways(shape, precision, Bytes::no);
  std::erase_if(found, [&](const IdentityWay& way) {
    return !is_as_aligned_as_it_looks(identity_batch(shape, precision, way));
  });
  if (found.empty()) {
    throw harness::Unsupported(
        "cublasGemmBatchedEx wants matrices that start as aligned as their "
        "columns");
  }
  return found;
}

}  // namespace

void register_movement_product(SolverTable& table) {
  table.add<Copy>(
      {.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
       .algorithms = [](Library&, const Copy& shape, const harness::Variant& prototype,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         std::vector<harness::Algorithm> names;
         for (const IdentityWay& way : ways(shape, prototype.precision)) {
           names.push_back(std::string(name) + way.text());
         }
         return names;
       },
       .create =
           [](Library& library, const Copy& shape, const harness::Variant& variant) {
             for (const IdentityWay& way : ways(shape, variant.precision)) {
               if (std::string(name) + way.text() != variant.algorithm) continue;
               return std::make_unique<BatchedProduct>(library, shape, variant, way);
             }
             throw harness::Unsupported("no blocks for " + variant.algorithm);
           },
       .owns = [](const harness::Algorithm& algorithm) { return algorithm.starts_with(name); }});
}

}  // namespace benanza::cublas
