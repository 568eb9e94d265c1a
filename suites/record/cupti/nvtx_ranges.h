#pragma once

#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <mutex>
#include <set>
#include <string>

#include "suites/record/cupti/range_gate.h"

namespace benanza::record {

/// Tells a gate of the NVTX ranges that CUPTI tells of. For several threads at once.
class NvtxRanges {
 public:
  /// `name`: of the ranges that the gate waits for. The gate outlives this.
  NvtxRanges(RangeGate& gate, std::string name) : gate_(gate), name_(std::move(name)) {}
  /// One of CUPTI's callbacks of its NVTX domain.
  void take(CUpti_CallbackId id, const CUpti_NvtxData& data);

 private:
  /// The message of a range; empty for wide characters, and for registered ones of another name.
  std::string words(const nvtxEventAttributes_t* attributes);

  RangeGate& gate_;
  const std::string name_;
  std::mutex mutex_;
  std::set<nvtxStringHandle_t> strings_;
};

}  // namespace benanza::record
