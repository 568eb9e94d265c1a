#include "suites/cublas/ops/grouped_gemm/by_lt.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "suites/harness/each_group.h"

namespace benanza::cublas {
namespace {

/// Groups of a run that one call multiplies.
std::int64_t groups_of(LtUnit unit, const GroupRun& run) {
  return unit == LtUnit::run ? run.groups : 1;
}

/// The products of so many groups of a run.
Gemm product_of(const GroupedGemm& shape, const GroupRun& run, std::int64_t groups) {
  Gemm product = harness::product_of_group(shape, run.rows);
  if (groups > 1) product.batch_a = product.batch_b = {groups};
  return product;
}

/// The alignment of a workspace.
std::int64_t round_up(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

ByLt::ByLt(const Request& request, const GroupedGemm& shape, const LtPlan& plan)
    : made_(request, shape), sides_(plan.side_streams) {
  const std::size_t choice = plan.choice;
  for (const GroupRun& run : made_.runs) {
    const std::int64_t groups = groups_of(plan.unit, run);
    const Gemm product = product_of(shape, run, groups);
    LtMatmul matmul({.shape = product, .epilogue = {}}, made_.precision);
    LtDescriptors descriptors = matmul.descriptors();
    descriptors.alignment_bytes = alignment_of(descriptors.alignment_bytes, run);
    const std::vector<LtChoice> choices =
        heuristics(made_.library.lt(), descriptors, made_.precision,
                   made_.library.lt_workspace_bytes(), static_cast<int>(choice) + 1);
    const LtChoice& chosen = choices[std::min(choice, choices.size() - 1)];
    workspace_bytes_ = std::max(workspace_bytes_, round_up(chosen.workspace_bytes));
    products_.push_back({run, groups, std::move(matmul), chosen});
  }
}

std::int64_t ByLt::workspace_bytes() const {
  return workspace_bytes_ * static_cast<std::int64_t>(std::max<std::size_t>(sides_.count(), 1));
}

void ByLt::operator()(const nvidia::CudaPrimitive& call) const {
  sides_.fork(call.stream());
  std::size_t calls = 0;
  for (const Product& product : products_) {
    for (std::int64_t group = 0; group < product.run.groups; group += product.groups) {
      multiply(call, product, group, calls++);
    }
  }
  sides_.join(call.stream());
}

void ByLt::multiply(const nvidia::CudaPrimitive& call, const Product& product, std::int64_t group,
                    std::size_t number) const {
  const std::int64_t size = element_bytes(made_.precision);
  const float alpha = product.matmul.alpha();
  constexpr float beta = 0;
  const GroupOffsets offsets = offsets_of(made_.shape, product.run, group);
  std::byte* const result = call.output() + offsets.c * size;
  std::byte* workspace = call.workspace();
  cudaStream_t stream = call.stream();
  if (sides_.count() > 0) {
    const std::size_t side = number % sides_.count();
    stream = sides_.at(side);
    workspace += static_cast<std::int64_t>(side) * workspace_bytes_;
  }
  check(cublasLtMatmul(made_.library.lt(), product.matmul.operation(), &alpha,
                       call.input(1) + offsets.b * size, product.matmul.first(),
                       call.input(0) + offsets.a * size, product.matmul.second(), &beta,
                       product.matmul.unread_at(result), product.matmul.residual(), result,
                       product.matmul.result(), &product.choice.algorithm, workspace,
                       static_cast<std::size_t>(workspace_bytes_), stream),
        "cublasLtMatmul");
}

std::uint32_t ByLt::alignment_of(std::uint32_t whole, const GroupRun& run) const {
  const std::int64_t size = element_bytes(made_.precision);
  const std::int64_t rows = std::gcd(run.rows * made_.shape.k, run.rows * made_.shape.n);
  return static_cast<std::uint32_t>(std::gcd(std::int64_t{whole}, rows * size));
}

}  // namespace benanza::cublas
