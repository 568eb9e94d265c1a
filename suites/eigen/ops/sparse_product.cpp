#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>
#include <string_view>

#include "suites/eigen/backend.h"
#include "suites/harness/keep/compressed_rows.h"

namespace benanza::eigen {
namespace {

constexpr std::string_view by_rows = "csr";
constexpr std::string_view by_columns = "csc";
constexpr std::string_view by_rows_of_both = "csr_rows";

using Index = std::int32_t;
using Columns = Eigen::Map<Eigen::MatrixXf, Eigen::Aligned64>;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W X' with W in compressed rows, which Eigen computes in parallel, or in compressed columns. Rows
/// of X and of the result are columns here, so nothing is moved.
template <int order>
class SparseTimesDense : public harness::Primitive {
 public:
  SparseTimesDense(const SparseProduct& shape, harness::Operands& places)
      : shape_(shape),
        input_(at(places.operand(0, bytes_of(shape.k * shape.n), {}), shape.k, shape.n)),
        result_(at(places.result(0, bytes_of(shape.m * shape.n), {}), shape.m, shape.n)) {}

  void upload(std::size_t index, std::span<const float> values) override {
    if (index == 0) {
      std::ranges::copy(values, input_.data());
      return;
    }
    const harness::CompressedRows rows = harness::compressed_rows(values, shape_.m, shape_.k);
    weights_ = Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor, Index>>(
        shape_.m, shape_.k, static_cast<Eigen::Index>(rows.values.size()), rows.begins.data(),
        rows.columns.data(), rows.values.data());
  }
  void poison_output() override {
    std::fill_n(result_.data(), result_.size(), std::numeric_limits<float>::quiet_NaN());
  }
  void run() override {
    if (shape_.n == 1) {
      result_.col(0).noalias() = weights_ * input_.col(0);
    } else {
      result_.noalias() = weights_ * input_;
    }
  }
  std::vector<float> download() override {
    return {result_.data(), result_.data() + result_.size()};
  }
  std::int64_t workspace_bytes() const override { return 0; }

 protected:
  const Eigen::SparseMatrix<float, order, Index>& weights() const { return weights_; }
  const Columns& input() const { return input_; }
  Columns& result() { return result_; }

 private:
  static std::int64_t bytes_of(std::int64_t elements) {
    return elements * static_cast<std::int64_t>(sizeof(float));
  }
  static Columns at(std::byte* place, std::int64_t rows, std::int64_t columns) {
    return {reinterpret_cast<float*>(place), rows, columns};
  }

  SparseProduct shape_;
  Eigen::SparseMatrix<float, order, Index> weights_;
  Columns input_;
  Columns result_;
};

/// Transposes X and the result inside the call, in blocks of rows that fit the caches: blocks are
/// accumulated in vector registers, whereas the other algorithms look up one element at a time.
class SparseTimesRows final : public SparseTimesDense<Eigen::RowMajor> {
 public:
  SparseTimesRows(const SparseProduct& shape, harness::Operands& places)
      : SparseTimesDense(shape, places),
        rows_(shape.n),
        input_part_(shape.k, std::min(shape.n, most_rows)),
        result_part_(shape.m, std::min(shape.n, most_rows)) {}

  void run() override {
    for (std::int64_t first = 0; first < rows_; first += most_rows) {
      const std::int64_t count = std::min(most_rows, rows_ - first);
      input_part_ = input().middleCols(first, count);
      result_part_.resize(result_part_.rows(), count);
      result_part_.noalias() = weights() * input_part_;
      result().middleCols(first, count) = result_part_;
    }
  }
  std::int64_t workspace_bytes() const override {
    const std::int64_t rows = std::min(rows_, most_rows);
    return static_cast<std::int64_t>(sizeof(float)) * rows *
           (input_part_.rows() + result_part_.rows());
  }

 private:
  static constexpr std::int64_t most_rows = 64;

  std::int64_t rows_;
  Rows input_part_;
  Rows result_part_;
};

template <class Call>
harness::Way way_of(std::string_view name, const SparseProduct& shape) {
  return {.name = std::string(name), .make = [shape](harness::Operands& places) {
            return std::make_unique<Call>(shape, places);
          }};
}

std::vector<harness::Way> all_ways(const SparseProduct& shape) {
  return {way_of<SparseTimesRows>(by_rows_of_both, shape),
          way_of<SparseTimesDense<Eigen::RowMajor>>(by_rows, shape),
          way_of<SparseTimesDense<Eigen::ColMajor>>(by_columns, shape)};
}

std::vector<harness::Way> ways(Library&, const SparseProduct& shape,
                               const harness::Variant& prototype, harness::AlgorithmSet set) {
  if (prototype.precision != Precision::fp32) {
    throw harness::Unsupported("Eigen's products with sparse matrices are asked for at fp32 alone");
  }
  // With many rows, multiplying them one by one takes about ten times as long.
  constexpr std::int64_t few = 16;
  const bool one_by_one = shape.n <= few || set == harness::AlgorithmSet::with_reference;
  std::vector<harness::Way> found = all_ways(shape);
  std::erase_if(found, [&](const harness::Way& way) {
    return way.name == by_rows_of_both ? shape.n == 1 : !one_by_one;
  });
  return found;
}

std::optional<harness::Way> way(Library&, const SparseProduct& shape,
                                const harness::Variant& variant) {
  for (harness::Way& one : all_ways(shape)) {
    if (one.name == variant.algorithm) return std::move(one);
  }
  return std::nullopt;
}

}  // namespace

void register_sparse_product(WayTable& table) {
  table.add(harness::Family<Library, SparseProduct>{
      .layouts = [](const SparseProduct&) { return std::vector{Layout::plain}; },
      .ways = ways,
      .way = way});
}

}  // namespace benanza::eigen
