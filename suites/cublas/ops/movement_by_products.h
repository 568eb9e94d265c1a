#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/ops/copy.h"
#include "core/problem/precision.h"
#include "suites/cublas/ops/lt/lt.h"
#include "suites/cublas/products/copies.h"

namespace benanza::cublas {

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

}  // namespace benanza::cublas
