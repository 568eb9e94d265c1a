#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "record/store/device_reader.h"
#include "record/store/recording.h"

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

/// Merges two ordered lists of calls into one that matches the ordered list of kernels. Kernels and
/// calls are given by numbers that stand for their names. The search alternates between counting
/// pairs of kernel and call and merging anew, to find the merge whose pairs occur most often; in a
/// tie the first list goes first.
/// Returns, for each kernel, whether its call is from the second list. Empty if the counts do not
/// add up, if every merge has a pair that `may_be` rejects, or if the lists are too long (their
/// product above 2^28).
std::optional<std::vector<bool>> merged(
    const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
    const std::vector<std::uint32_t>& second,
    const std::function<bool(std::uint32_t kernel, std::uint32_t call)>& may_be);

/// Which calls belong to a search for an algorithm, as cuDNN's benchmark mode and XLA run it before
/// the first step: calls of a GPU in a row of one problem with at least three implementations.
/// `calls`: of one program, in order, without those that other calls made.
std::vector<bool> search_calls(const std::vector<const CallText*>& calls);

}  // namespace benanza
