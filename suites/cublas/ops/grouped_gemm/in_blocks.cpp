#include "suites/cublas/ops/grouped_gemm/grouped_gemm.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "suites/harness/each_group.h"

namespace benanza::cublas {
namespace {

constexpr std::int64_t result_bytes = 2;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// What a group takes, in tiles of the library's kernels.
std::int64_t tiles_of(std::int64_t rows) {
  constexpr std::int64_t tile_rows = 128;
  return round_up(rows, tile_rows) / tile_rows;
}

}  // namespace

std::vector<std::size_t> ends_of_streams(std::span<const std::int64_t> rows, std::size_t streams) {
  std::int64_t all = 0;
  for (const std::int64_t of_group : rows) all += tiles_of(of_group);
  std::vector<std::size_t> ends;
  std::int64_t before = 0;
  for (std::size_t group = 0; group < rows.size(); ++group) {
    before += tiles_of(rows[group]);
    const std::int64_t share = all * (std::ssize(ends) + 1);
    if (before * static_cast<std::int64_t>(streams) >= share) ends.push_back(group + 1);
  }
  return ends;
}

InBlocks::InBlocks(const Request& request, const GroupedGemm& shape, std::size_t side_streams)
    : made_(request, shape), sides_(side_streams) {
  std::int64_t most_rows = 0;
  std::vector<std::int64_t> rows;
  for (const GroupRun& run : made_.runs) {
    for (std::int64_t group = 0; group < run.groups; ++group) {
      groups_.push_back(
          {offsets_of(shape, run, group), run.first_row + group * run.rows, run.rows});
      rows.push_back(run.rows);
    }
    most_rows = std::max(most_rows, rows_in_fours(run.rows));
  }
  scales_ = block_scales(made_.library, harness::product_of_group(shape, most_rows));
  for (const GroupRun& run : made_.runs) add_product(rows_in_fours(run.rows));
  ends_ = ends_of_streams(rows, std::max<std::size_t>(side_streams, 1));
}

void InBlocks::add_product(std::int64_t rows) {
  if (products_.contains(rows)) return;
  LtMatmul matmul({.shape = harness::product_of_group(made_.shape, rows), .epilogue = {}},
                  made_.precision, Weights::in_blocks);
  matmul.set_scales(scales_.data());
  LtDescriptors descriptors = matmul.descriptors();
  descriptors.alignment_bytes =
      static_cast<std::uint32_t>(std::gcd(std::int64_t{descriptors.alignment_bytes},
                                          std::gcd(made_.shape.k, made_.shape.n * result_bytes)));
  const LtChoice chosen = heuristics(made_.library.lt(), descriptors, made_.precision,
                                     made_.library.lt_workspace_bytes(), 1)
                              .front();
  constexpr std::int64_t alignment = 256;
  workspace_bytes_ = std::max(workspace_bytes_, round_up(chosen.workspace_bytes, alignment));
  products_.emplace(rows, Product{std::move(matmul), chosen});
}

std::int64_t InBlocks::spare_bytes() const {
  return spare_bytes_of(harness::product_of_group(made_.shape, 1));
}

std::int64_t InBlocks::workspace_bytes() const {
  const std::int64_t most_rows = products_.empty() ? 0 : products_.rbegin()->first;
  const std::int64_t own_result = round_up(most_rows * made_.shape.n * result_bytes, 256);
  return (workspace_bytes_ + own_result) * std::max<std::int64_t>(std::ssize(ends_), 1);
}

void InBlocks::operator()(const nvidia::CudaPrimitive& call) const {
  sides_.fork(call.stream());
  std::size_t next = 0;
  for (std::size_t side = 0; side < ends_.size(); ++side) {
    const std::size_t end = ends_[side];
    const std::int64_t end_row =
        end < groups_.size() ? groups_[end].first_row : std::numeric_limits<std::int64_t>::max();
    for (; next < end; ++next) multiply(call, groups_[next], side, end_row);
  }
  sides_.join(call.stream());
}

void InBlocks::multiply(const nvidia::CudaPrimitive& call, const Group& group, std::size_t side,
                        std::int64_t end_row) const {
  const std::int64_t padded = rows_in_fours(group.rows);
  const Product& product = products_.at(padded);
  const std::int64_t own = workspace_bytes() / std::ssize(ends_);
  std::byte* const workspace = call.workspace() + static_cast<std::int64_t>(side) * own;
  cudaStream_t stream = sides_.count() > 0 ? sides_.at(side) : call.stream();
  std::byte* const place = call.output() + group.offsets.c * result_bytes;
  const bool fits = group.first_row + padded <= end_row;
  std::byte* const result = fits ? place : workspace + workspace_bytes_;
  const float alpha = product.matmul.alpha();
  constexpr float beta = 0;
  check(cublasLtMatmul(made_.library.lt(), product.matmul.operation(), &alpha,
                       call.input(1) + group.offsets.b, product.matmul.first(),
                       call.input(0) + group.offsets.a, product.matmul.second(), &beta,
                       product.matmul.unread_at(result), product.matmul.residual(), result,
                       product.matmul.result(), &product.choice.algorithm, workspace,
                       static_cast<std::size_t>(workspace_bytes_), stream),
        "cublasLtMatmul");
  if (fits) return;
  const auto bytes = static_cast<std::size_t>(group.rows * made_.shape.n * result_bytes);
  nvidia::check(cudaMemcpyAsync(place, result, bytes, cudaMemcpyDeviceToDevice, stream),
                "cudaMemcpyAsync");
}

}  // namespace benanza::cublas
