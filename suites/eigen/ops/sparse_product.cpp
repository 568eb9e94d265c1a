#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>
#include <string_view>

#include "suites/eigen/solvers.h"
#include "suites/harness/compressed_rows.h"

namespace benanza::eigen {
namespace {

constexpr std::string_view by_rows = "csr";
constexpr std::string_view by_columns = "csc";
constexpr std::string_view by_rows_of_both = "csr_rows";

using Index = std::int32_t;
using Columns = Eigen::MatrixXf;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W X' with W in compressed rows, which Eigen computes in parallel, or in compressed columns. Rows
/// of X and of the result are columns here, so nothing is moved.
template <int order>
class SparseTimesDense : public harness::Primitive {
 public:
  explicit SparseTimesDense(const SparseProduct& shape)
      : shape_(shape), input_(shape.k, shape.n), result_(shape.m, shape.n) {}

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
  SparseProduct shape_;
  Eigen::SparseMatrix<float, order, Index> weights_;
  Columns input_;
  Columns result_;
};

/// Transposes X and the result inside the call, in blocks of rows that fit the caches: blocks are
/// accumulated in vector registers, whereas the other algorithms look up one element at a time.
class SparseTimesRows final : public SparseTimesDense<Eigen::RowMajor> {
 public:
  explicit SparseTimesRows(const SparseProduct& shape)
      : SparseTimesDense(shape),
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

std::vector<harness::Algorithm> algorithms(Library&, const SparseProduct& shape,
                                           const harness::Variant& prototype,
                                           harness::AlgorithmSet set) {
  if (prototype.precision != Precision::fp32) {
    throw harness::Unsupported("Eigen's products with sparse matrices are asked for at fp32 alone");
  }
  // With many rows, multiplying them one by one takes about ten times as long.
  constexpr std::int64_t few = 16;
  std::vector<harness::Algorithm> names;
  if (shape.n > 1) names.emplace_back(by_rows_of_both);
  if (shape.n <= few || set == harness::AlgorithmSet::with_reference) {
    names.emplace_back(by_rows);
    names.emplace_back(by_columns);
  }
  return names;
}

std::unique_ptr<harness::Primitive> create(Library&, const SparseProduct& shape,
                                           const harness::Variant& variant) {
  if (variant.algorithm == by_rows) {
    return std::make_unique<SparseTimesDense<Eigen::RowMajor>>(shape);
  }
  if (variant.algorithm == by_columns) {
    return std::make_unique<SparseTimesDense<Eigen::ColMajor>>(shape);
  }
  if (variant.algorithm == by_rows_of_both) return std::make_unique<SparseTimesRows>(shape);
  throw harness::Unsupported("Eigen has no way called " + variant.algorithm);
}

}  // namespace

void register_sparse_product(SolverTable& table) {
  table.add(harness::Solver<Library, SparseProduct>{
      .layouts = [](const SparseProduct&) { return std::vector{Layout::plain}; },
      .algorithms = algorithms,
      .create = create});
}

}  // namespace benanza::eigen
