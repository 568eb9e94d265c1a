#include "suites/tests/cublas/host_blas.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "suites/harness/int8_scale.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cublas {
namespace {

/// Element (row, column) of op(matrix), stored column-major.
double element(const std::vector<float>& matrix, std::int64_t begin, std::int64_t ld,
               bool transpose, std::int64_t row, std::int64_t column) {
  const std::int64_t at = transpose ? column + row * ld : row + column * ld;
  return matrix.at(static_cast<std::size_t>(begin + at));
}

}  // namespace

HostBlas::HostBlas(const harness::Variant& variant, bool planted)
    : variant_(variant),
      gemm_(packed(folded(std::get<Gemm>(variant.problem.shape)), variant.precision)),
      planted_(planted),
      operands_(inputs(variant.problem).size()),
      result_(static_cast<std::size_t>(element_count(output(variant.problem)))) {}

void HostBlas::upload(std::size_t index, std::span<const float> values) {
  nvidia::TensorFormat format = input_formats(variant_.problem, variant_.precision).at(index);
  format.precision = Precision::fp32;
  const auto bytes = nvidia::to_storage(values, format);
  operands_.at(index).resize(bytes.size() / sizeof(float));
  std::memcpy(operands_[index].data(), bytes.data(), bytes.size());
}

void HostBlas::poison_output() {
  result_.assign(result_.size(), variant_.precision == Precision::int8
                                     ? -128
                                     : std::numeric_limits<float>::quiet_NaN());
}

void HostBlas::run() {
  if (variant_.algorithm == "gemv") {
    run_gemv();
  } else {
    run_gemm();
  }
  if (variant_.precision != Precision::int8) return;
  const float scale = harness::int8_scale(variant_.problem);
  for (float& value : result_) value = std::clamp(std::nearbyint(value * scale), -128.0F, 127.0F);
}

void HostBlas::run_gemm() {
  BlasGemm blas = blas_gemm(gemm_);
  if (planted_) blas.transpose_first = !blas.transpose_first;
  for (std::int64_t batch = 0; batch < blas.batches; ++batch) {
    const auto at = static_cast<std::size_t>(batch);
    const std::int64_t first =
        blas.strided() ? batch * blas.stride_first : blas.offsets_first.at(at);
    const std::int64_t second =
        blas.strided() ? batch * blas.stride_second : blas.offsets_second.at(at);
    for (std::int64_t column = 0; column < blas.n; ++column) {
      for (std::int64_t row = 0; row < blas.m; ++row) {
        double sum = 0;
        for (std::int64_t k = 0; k < blas.k; ++k) {
          sum += element(operands_[first_operand], first, blas.ld_first, blas.transpose_first, row,
                         k) *
                 element(operands_[second_operand], second, blas.ld_second, blas.transpose_second,
                         k, column);
        }
        if (variant_.problem.epilogue.bias) sum += operands_[2].at(static_cast<std::size_t>(row));
        result_.at(static_cast<std::size_t>(batch * blas.stride_result + row +
                                            column * blas.ld_result)) = static_cast<float>(sum);
      }
    }
  }
}

void HostBlas::run_gemv() {
  BlasGemv blas = blas_gemv(gemm_);
  if (planted_) blas.transpose = !blas.transpose;
  const std::vector<float>& matrix = operands_[blas.matrix_operand];
  const std::vector<float>& vector = operands_[blas.vector_operand()];
  const std::int64_t length = blas.transpose ? blas.columns : blas.rows;
  const std::int64_t summed = blas.transpose ? blas.rows : blas.columns;
  for (std::int64_t batch = 0; batch < blas.batches; ++batch) {
    for (std::int64_t row = 0; row < length; ++row) {
      double sum = 0;
      for (std::int64_t k = 0; k < summed; ++k) {
        sum += element(matrix, batch * blas.stride_matrix, blas.rows, blas.transpose, row, k) *
               vector.at(static_cast<std::size_t>(batch * blas.stride_vector + k));
      }
      result_.at(static_cast<std::size_t>(batch * blas.stride_result + row)) =
          static_cast<float>(sum);
    }
  }
}

}  // namespace benanza::cublas
