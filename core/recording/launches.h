#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/recording/device_reader.h"

namespace benanza {

/// Which call on the host launched what ran on a device.
class Launches {
 public:
  explicit Launches(const DeviceRecording& recording);
  /// Of the calls with its number the one that began first: a call of the driver inside of one of
  /// the runtime is the same launch. Of a graph's node it is the graph's launch. Null where no call
  /// was recorded.
  const DeviceRecording::Api* of(const DeviceRecording::Work& work) const;
  /// Of a graph's node: the call that was captured as it. Graphs are those of the captures in their
  /// order, as far as a capture has as many launches as the graph has nodes that ran; a node's
  /// number goes up with the order of the launches. Null where that is not so.
  const DeviceRecording::Api* captured(const DeviceRecording::Work& work) const;

 private:
  void find_captured();

  const DeviceRecording& recording_;
  /// Of every process, by correlation number.
  std::unordered_map<std::int64_t, std::unordered_map<std::uint32_t, std::size_t>> places_;
  /// By process, graph and node.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> captured_;
};

}  // namespace benanza
