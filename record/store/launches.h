#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "record/store/device_reader.h"

namespace benanza {

/// Finds the host call that launched a piece of device work.
class Launches {
 public:
  explicit Launches(const DeviceRecording& recording);
  /// The call with the work's correlation number; if there are several, the one that started first,
  /// because a driver call inside a runtime call is the same launch. For a graph node, the launch
  /// of the graph. Null if no call was recorded.
  const DeviceRecording::Api* of(const DeviceRecording::Work& work) const;
  /// For a graph node: the call that was captured as this node. Graphs are matched to captures in
  /// order, if a capture has as many launches as the graph has nodes that ran; node numbers ascend
  /// in launch order. Null if there is no match.
  const DeviceRecording::Api* captured(const DeviceRecording::Work& work) const;

 private:
  void find_captured();

  const DeviceRecording& recording_;
  /// By process, then by correlation number.
  std::unordered_map<std::int64_t, std::unordered_map<std::uint32_t, std::size_t>> places_;
  /// By process, graph and node.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> captured_;
};

}  // namespace benanza
