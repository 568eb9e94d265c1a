#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/model/plan.h"
#include "core/graph_file/data_flow.h"
#include "core/problem/ops/copy.h"

namespace benanza::analysis {

/// A call of a plan that reads a tensor.
struct PlanReader {
  const PlannedWork* work = nullptr;
  /// Of the work's calls.
  std::size_t call = 0;
  const FlowCall* flow = nullptr;
  std::size_t operand = 0;
};

/// The calls of a fusion or of a layer that do the work.
const std::vector<FlowCall>& calls_of(const DataFlow& flow, const PlannedWork& work);

/// Who reads each tensor of the model; a view is read with what it shows. All arguments must
/// outlive it.
class PlanReaders {
 public:
  PlanReaders(const DataFlow& flow, const std::vector<PlannedWork>& work);
  std::vector<PlanReader> of(std::size_t tensor) const;
  /// Those of the work's call `index`, by its other calls.
  static std::vector<PlanReader> of_call(const PlannedWork& work,
                                         const std::vector<FlowCall>& calls, std::size_t index);

 private:
  std::map<std::size_t, std::vector<PlanReader>> readers_;
};

/// Strides of `target`, a reshape of a view of `dims` elements with these strides (row-major order
/// of its elements); empty if there are none. From {4, 6} with {12, 1} to {2, 2, 3, 2}: {24, 12, 2,
/// 1}.
std::optional<Dims> reshaped_strides(const Dims& dims, const Dims& strides, const Dims& target);

/// What a call makes that copies some of a tensor's elements: a dense tensor.
struct CopiedTensor {
  Copy moved;
  std::size_t source = 0;
  /// The first element in the source, and in its buffer.
  std::int64_t from = 0;
  std::int64_t first = 0;
  std::int64_t element_bytes = 0;
  /// Empty if only calls of its own layer read it.
  std::optional<std::size_t> result{};
};

/// How a call reads in place what was copied.
struct StridedRead {
  Dims strides;
  /// The reader's, of those that can (Measurement::strided_axes).
  std::vector<const Measurement*> candidates;
  /// How much longer the fastest of these takes than the fastest of all.
  double lost_seconds = 0;
};

/// Empty if none of the reader's calls can, or the view is not aligned as the libraries' own
/// tensors.
std::optional<StridedRead> strided_read(const PlanReader& reader, const CopiedTensor& copied);

}  // namespace benanza::analysis
