#pragma once

#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::record {

/// Tracks whether any thread is inside a range of the given name. Thread-safe.
class RangeGate {
 public:
  /// If the name is empty, the gate is always open.
  explicit RangeGate(std::string name) : name_(std::move(name)) {}

  bool has_name() const { return !name_.empty(); }
  bool is_open() const;
  /// Opens a range that the thread's next pop() in the same domain closes.
  void push(std::uint64_t thread, const void* domain, std::string_view name);
  void pop(std::uint64_t thread, const void* domain);
  /// Opens a range that any thread may close. Ids are unique among the open ranges.
  void start(std::uint64_t id, std::string_view name);
  void end(std::uint64_t id);

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  /// For every thread and domain with open ranges: for each range, whether it has the name.
  std::map<std::pair<std::uint64_t, const void*>, std::vector<bool>> stacks_;
  std::set<std::uint64_t> started_;
  std::size_t open_ = 0;
};

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
