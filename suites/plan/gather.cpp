#include "suites/plan/gather.h"

#include <cstdint>
#include <iterator>
#include <string>

#include "core/base/error.h"
#include "suites/plan/values.h"

namespace benanza::plan {

Gather::Gather(harness::Backend& backend, const GatheredRows& rows, Precision precision,
               int index_bytes, harness::Operands& places)
    : backend_(&backend), precision_(precision) {
  const std::int64_t row_bytes = rows.inner * element_bytes(precision);
  source_ = places.operand(0, rows.outer * rows.extent * row_bytes);
  indices_ = places.operand(1, rows.count * index_bytes);
  rows_ = {.target = places.result(0, rows.outer * rows.count * row_bytes),
           .source = source_,
           .indices = indices_,
           .index_bytes = index_bytes,
           .outer = rows.outer,
           .extent = rows.extent,
           .count = rows.count,
           .row_bytes = row_bytes};
}

void Gather::upload(std::size_t operand, std::span<const float> values) {
  const std::int64_t wanted =
      operand == 0 ? rows_.outer * rows_.extent * rows_.row_bytes / element_bytes(precision_)
                   : rows_.count;
  if (std::ssize(values) != wanted) {
    throw Error("a constant of " + std::to_string(values.size()) + " elements for " +
                std::to_string(wanted));
  }
  if (operand == 0) {
    backend_->allocator().write(source_, stored(values, to_string(precision_)));
  } else {
    backend_->allocator().write(indices_, stored_indices(values, rows_.index_bytes, rows_.extent));
  }
}

std::vector<float> Gather::download() {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(rows_.outer * rows_.count * rows_.row_bytes));
  backend_->allocator().read(bytes, rows_.target);
  return floats_of(bytes, to_string(precision_));
}

}  // namespace benanza::plan
