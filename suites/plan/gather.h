#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/problem/precision.h"
#include "suites/harness/backend.h"

namespace benanza::plan {

/// A step that gathers rows: operand 0 are the rows, operand 1 their indices, as whole numbers.
class Gather final : public harness::BareCall {
 public:
  /// `backend` moves the rows and must outlive this. `index_bytes`: 4 or 8.
  Gather(harness::Backend& backend, const GatheredRows& rows, Precision precision, int index_bytes,
         harness::Operands& places);

  void upload(std::size_t operand, std::span<const float> values) override;
  void run() override { backend_->gather(rows_); }
  std::vector<float> download() override;

 private:
  harness::Backend* backend_;
  Precision precision_;
  std::byte* source_;
  std::byte* indices_;
  harness::RowGather rows_;
};

}  // namespace benanza::plan
