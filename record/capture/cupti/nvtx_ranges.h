#pragma once

#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <mutex>
#include <set>
#include <string>

#include "record/capture/cupti/range_gate.h"

namespace benanza::record {

/// Forwards the NVTX ranges reported by CUPTI to a gate. Thread-safe.
class NvtxRanges {
 public:
  /// `name`: the name of the ranges the gate waits for. The gate must outlive this object.
  NvtxRanges(RangeGate& gate, std::string name) : gate_(gate), name_(std::move(name)) {}
  /// Handles a callback of CUPTI's NVTX domain.
  void take(CUpti_CallbackId id, const CUpti_NvtxData& data);

 private:
  /// The message of a range; empty for wide-character messages and for registered strings other
  /// than the gate's name.
  std::string words(const nvtxEventAttributes_t* attributes);

  RangeGate& gate_;
  const std::string name_;
  std::mutex mutex_;
  std::set<nvtxStringHandle_t> strings_;
};

}  // namespace benanza::record
