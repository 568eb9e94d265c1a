#include "suites/plan/gather.h"

#include <cstdint>
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
  if (operand == 0) {
    backend_->allocator().write(source_, stored(values, to_string(precision_)));
  } else {
    for (const float value : values) {
      const auto index = static_cast<std::int64_t>(value);
      if (index < -rows_.extent || index >= rows_.extent) {
        throw Error("index " + std::to_string(index) + " of " + std::to_string(rows_.extent) +
                    " rows");
      }
    }
    backend_->allocator().write(indices_, stored_indices(values, rows_.index_bytes));
  }
}

std::vector<float> Gather::download() {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(rows_.outer * rows_.count * rows_.row_bytes));
  backend_->allocator().read(bytes, rows_.target);
  return floats_of(bytes, to_string(precision_));
}

}  // namespace benanza::plan
