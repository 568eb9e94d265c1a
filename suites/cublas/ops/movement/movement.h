#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/problem/ops/copy.h"
#include "core/problem/precision.h"
#include "suites/cublas/ops/lt/lt.h"
#include "suites/cublas/ways.h"

// What cuBLAS can be asked to do for a copy.
namespace benanza::cublas {

/// A copy as a batch of matrices in BLAS terms, which are column-major: `result` = op(`source`),
/// where op transposes or does nothing. All values are in elements.
struct MatrixMove {
  struct Matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    /// From one column to the next.
    std::int64_t ld = 0;
    /// From one matrix to the next.
    std::int64_t stride = 0;
    bool operator==(const Matrix&) const = default;
  };
  Matrix source;
  Matrix result;
  bool transposed = false;
  std::int64_t batches = 1;
};

/// Throws Unsupported for more than three axes, for a single axis, for elements that are not
/// contiguous on either side, and for overlapping columns.
MatrixMove matrix_move(const Copy& shape);

/// Whose contiguous elements are divided into blocks.
enum class Side { source, result };

/// A copy as many matrices in BLAS terms (column-major), so that each is the product of an identity
/// matrix and the source's, which may be transposed. All values are in elements.
struct BlockMove {
  /// The side of the identity matrix: rows of each source matrix, or of each result on
  /// Side::result.
  std::int64_t length = 0;
  /// Columns of the same matrix.
  std::int64_t count = 0;
  /// From one column to the next, in the source and in the result.
  std::int64_t ld_source = 0;
  std::int64_t ld_result = 0;
  /// The other matrix has `count` rows and `length` columns.
  bool transposed = false;
  Side side = Side::source;
  /// Where each matrix starts.
  std::vector<std::int64_t> sources{};
  std::vector<std::int64_t> results{};
};

inline constexpr std::int64_t most_block_elements = 128;

/// The lengths worth trying: 128, 64 and 32 if they divide the contiguous elements of the side; if
/// none does, the longest multiple of 8 that does. Empty for the result of a copy that transposes
/// nothing, which has the blocks of its source. Throws Unsupported as block_move() does.
std::vector<std::int64_t> block_lengths(const Copy& shape, Side side);

/// `length` divides the contiguous elements of the side. Throws Unsupported for a single axis; for
/// a matrix that is not transposed, which needs no product; if elements are not contiguous on
/// either side; if the contiguous elements of the side are no multiple of 8; for overlapping
/// columns; and for more matrices than `most`.
BlockMove block_move(const Copy& shape, Side side, std::int64_t length, std::size_t most);

/// The same in units of `unit_bytes`, where an element has `element_bytes`. Throws Unsupported if a
/// matrix does not start or end with such a unit, or if it is transposed.
BlockMove in_units(BlockMove move, std::int64_t element_bytes, std::int64_t unit_bytes);

/// Which factor is the matrix of zeros and ones: the first one repeats rows, the second one columns
/// (in row-major terms: rows x data, data x columns).
enum class Repeats { rows, columns };

/// A copy that repeats elements (steps of 0), as products of the data with one matrix that has a
/// one in every row, or column, of the result. Row-major: result, m x n = (m x k) x (k x n), of
/// `batches` matrices. All values are in elements.
struct RepeatProduct {
  Repeats side = Repeats::columns;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batches = 1;
  /// From one matrix of the data to the next; 0 if all are the same.
  std::int64_t stride_data = 0;
  /// The matrix of zeros and ones, row-major: m x k for rows, k x n for columns.
  std::vector<float> ones;
};

/// Throws Unsupported if nothing repeats, if either side has gaps or another order, and for
/// matrices for which the product would be compute-bound.
RepeatProduct repeat_product(const Copy& shape, Repeats side);

/// What a product multiplies: the elements, 8-bit ones as integers whatever they mean; or pairs of
/// 32-bit elements as one of 64 bits, which is NaN or infinite only if the data are.
enum class Unit { element, word };

/// How a copy is divided into products with an identity matrix.
struct IdentityWay {
  Side side = Side::source;
  /// The side of the identity matrix, in elements of the copy.
  std::int64_t length = 0;
  Unit unit = Unit::element;

  /// "64", "64.words", "64.result".
  std::string text() const;
};

/// The ways of a copy, in the order of their likely speed. Throws Unsupported if there is none.
std::vector<IdentityWay> identity_ways(const Copy& shape, Precision precision);

/// Products of the source's matrices and the identity matrix, which is listed as often.
struct IdentityBatch : ListedBatch {
  /// The first factors are the source's matrices, the second ones the identity matrix.
  bool source_first = false;
  /// Of what is moved at a time.
  std::int64_t unit_bytes = 0;
};

/// The products that `way` makes of a copy; the addresses are null. Throws Unsupported as
/// block_move() does.
IdentityBatch identity_batch(const Copy& shape, Precision precision, const IdentityWay& way);

/// Whether every address is as aligned as its matrix's leading dimension, which is all that calls
/// with lists of addresses in device memory can see: cublasGemmBatchedEx() otherwise runs kernels
/// that end with cudaErrorMisalignedAddress (13.1, H100).
bool is_as_aligned_as_it_looks(const IdentityBatch& batch);

/// The matrix of ones as it is stored: `side` elements of what `unit` moves.
std::vector<std::byte> identity_matrix(Precision precision, Unit unit, std::int64_t side);
/// Of what `unit` moves.
std::int64_t unit_bytes(Precision precision, Unit unit);
/// The copy in units of what the products move.
BlockMove moved(const Copy& shape, Precision precision, const IdentityWay& way);

/// The operand and the result of a copy, both dense.
nvidia::CallSetup copy_setup(const Copy& shape, Precision precision);
/// Ways for copies.
harness::Family<Library, Copy> copy_family(
    std::function<Ways(Library&, const Copy&, const harness::Variant& prototype)> ways);

template <class Calls>
std::unique_ptr<harness::Primitive> copy_call_of(const Request& request, const Copy& shape,
                                                 Calls calls, std::int64_t workspace_bytes = 0) {
  nvidia::CallSetup setup = copy_setup(shape, request.variant.precision);
  setup.workspace_bytes = workspace_bytes;
  return call_of(request, std::move(setup), std::move(calls));
}

/// Adds the ways that multiply by matrices of zeros and ones.
void add_movement_by_products(WayTable& table);

}  // namespace benanza::cublas
