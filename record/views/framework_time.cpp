#include "record/views/framework_time.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/library/framework_kernel.h"
#include "core/library/kernel_name.h"

namespace benanza {
namespace {

/// An operator that a framework computes by several kernels.
struct SplitOperator {
  std::string_view name;
  /// What would do all of it.
  std::string_view call;
  std::vector<std::string_view> operations;
};

/// Longer ones first. As transformers writes them, eagerly.
std::vector<SplitOperator> split_operators() {
  return {
      {"RMS normalization",
       "one layer normalization of cuDNN without a mean",
       {"pow", "mean", "add", "rsqrt", "mul", "mul"}},
      {"rotary embedding", "one elementwise graph of cuDNN", {"mul", "neg", "cat", "mul", "add"}},
      {"gated function", "one elementwise graph of cuDNN", {"silu", "mul"}},
      {"gated function", "one elementwise graph of cuDNN", {"gelu", "mul"}}};
}

/// One kernel of a framework.
struct OwnKernel {
  std::int64_t start = 0;
  std::string_view operation;
  double seconds = 0;
};

class FrameworkTimes {
 public:
  /// Kernels of one stream, in order.
  void add(const std::vector<OwnKernel>& kernels) {
    // Conversions may lie between the kernels of an operator; they are counted by themselves.
    std::vector<OwnKernel> computing;
    for (const OwnKernel& kernel : kernels) {
      if (kernel.operation != "copy") computing.push_back(kernel);
    }
    for (std::size_t at = 0; at < computing.size();) at += take(computing, at);
    for (const OwnKernel& kernel : kernels) {
      if (kernel.operation == "copy") count(std::string(kernel.operation), kernel.seconds);
    }
  }

  std::vector<DeviceRow> rows() && {
    std::stable_sort(rows_.begin(), rows_.end(), [](const DeviceRow& a, const DeviceRow& b) {
      return a.exclusive_seconds > b.exclusive_seconds;
    });
    return std::move(rows_);
  }

 private:
  /// The number of kernels that are one operator from `at` on.
  std::size_t take(const std::vector<OwnKernel>& kernels, std::size_t at) {
    for (const SplitOperator& one : operators_) {
      const std::size_t count_of = one.operations.size();
      if (at + count_of > kernels.size()) continue;
      double seconds = 0;
      bool fits = true;
      for (std::size_t i = 0; fits && i < count_of; ++i) {
        fits = kernels[at + i].operation == one.operations[i];
        seconds += kernels[at + i].seconds;
      }
      if (!fits) continue;
      std::string name(one.name);
      for (std::size_t i = 0; i < count_of; ++i) {
        name += (i == 0 ? " (" : " ") + std::string(one.operations[i]);
      }
      count(name + "): " + std::string(one.call), seconds);
      return count_of;
    }
    count(std::string(kernels[at].operation), kernels[at].seconds);
    return 1;
  }

  void count(const std::string& name, double seconds) {
    const auto [place, is_new] = places_.try_emplace(name, rows_.size());
    if (is_new) rows_.push_back({.name = name});
    DeviceRow& row = rows_[place->second];
    ++row.calls;
    row.exclusive_seconds += seconds;
    row.inclusive_seconds += seconds;
  }

  std::vector<SplitOperator> operators_ = split_operators();
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<DeviceRow> rows_;
};

}  // namespace

std::vector<DeviceRow> framework_rows(const DeviceRecording& recording) {
  // By name of a kernel; empty for those of libraries.
  std::vector<std::optional<std::string>> operations(recording.names.size());
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<OwnKernel>> streams;
  for (const DeviceRecording::Work& work : recording.work) {
    if (work.kind != DeviceRecording::Work::Kind::kernel) continue;
    std::optional<std::string>& operation = operations[work.name];
    if (!operation) {
      const std::string& name = recording.names[work.name];
      operation = is_framework_kernel(name) ? framework_operation(name) : "";
    }
    if (operation->empty()) continue;
    streams[{work.process, work.device, work.stream}].push_back(
        {work.start, *operation, static_cast<double>(work.nanoseconds()) * 1e-9});
  }
  FrameworkTimes times;
  for (auto& [stream, kernels] : streams) {
    std::ranges::stable_sort(kernels, {}, &OwnKernel::start);
    times.add(kernels);
  }
  return std::move(times).rows();
}

}  // namespace benanza
