#include "suites/nvidia/device/options.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/metrics/expression.h"
#include "suites/harness/own_flags.h"

namespace benanza::nvidia {
namespace {

[[noreturn]] void refuse(std::string_view source, std::string_view text, std::string_view wanted) {
  throw Error(std::string(source) + "=" + std::string(text) + ": expected " + std::string(wanted));
}

std::int64_t parse_bytes(std::string_view text, std::string_view flag) {
  const auto value = text::bytes(text);
  if (!value) refuse(flag, text, "bytes, e.g. 512M or 2G");
  return *value;
}

int parse_device(std::string_view digits, std::string_view source, std::string_view text) {
  const auto value = text::number<int>(digits);
  if (!value || *value < 0) refuse(source, text, "the number of a GPU, from 0");
  return *value;
}

/// Returns "GPU-5b3c-0a1d" for "gpu_5b3c_0a1d", the form in which scripts/gpu-resources writes a
/// UUID with the characters that CTest allows. Empty if `id` is not in this form.
std::string uuid_of(std::string_view id) {
  const auto kind = id.substr(0, 4);
  if ((kind != "gpu_" && kind != "mig_") || id.size() == kind.size()) return {};
  std::string uuid(id);
  std::replace(uuid.begin(), uuid.end(), '_', '-');
  std::transform(uuid.begin(), uuid.begin() + 3, uuid.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return uuid;
}

/// Takes the GPU that CTest has allocated to this test: "id:gpu_5b3c_0a1d,slots:1" or
/// "id:2,slots:1" in its first group.
void take_allocation(CudaOptions& options, const Environment& environment) {
  constexpr const char* variable = "CTEST_RESOURCE_GROUP_0_GPUS";
  const char* const value = environment(variable);
  if (value == nullptr) return;
  const std::string_view text = value;
  constexpr std::string_view prefix = "id:";
  if (text.substr(0, prefix.size()) != prefix) refuse(variable, text, "id:GPU,slots:1");
  const std::string_view id = text.substr(prefix.size(), text.find(',') - prefix.size());
  if (std::string uuid = uuid_of(id); !uuid.empty()) {
    options.visible = std::move(uuid);
    options.device = 0;
  } else {
    options.device = parse_device(id, variable, text);
  }
}

/// Takes BENANZA_DEVICE, which selects the GPU of one part if CTest spreads a measurement over a
/// host's GPUs without having a resource file for them.
void take_default(CudaOptions& options, const Environment& environment) {
  constexpr const char* variable = "BENANZA_DEVICE";
  const char* const value = environment(variable);
  if (value != nullptr && *value != 0) options.device = parse_device(value, variable, value);
}

/// Parses "a,b".
void take_names(std::string_view text, std::vector<std::string>& names) {
  for (const std::string_view name : text::split(text, ',')) {
    if (name.empty()) refuse("--counters", text, "names of counters with commas between them");
    names.emplace_back(name);
  }
}

}  // namespace

CudaOptions take_cuda_options(int& argc, char** argv, const Environment& environment) {
  CudaOptions options;
  std::optional<int> device;
  if (const char* const peaks = environment("BENANZA_PEAKS"); peaks != nullptr && *peaks != 0) {
    options.peaks = peaks;
  }
  const char* const lock = environment("BENANZA_GPU_LOCK");
  options.lock = lock == nullptr || std::string_view(lock) != "none";
  harness::take_flags(argc, argv, [&](std::string_view argument) {
    if (argument == "--kernels") {
      options.kernels = true;
    } else if (argument == "--counters") {
      options.counters = true;
    } else if (const auto names = harness::flag_value(argument, "--counters")) {
      options.counters = true;
      take_names(*names, options.counter_names);
    } else if (const auto metric = harness::flag_value(argument, "--metric")) {
      parse_metric(*metric);  // throws if it is invalid
      options.counters = true;
      options.metrics.emplace_back(*metric);
    } else if (const auto set = harness::flag_value(argument, "--metrics")) {
      options.counters = true;
      for (std::string& text : gpu_metric_set(*set)) options.metrics.push_back(std::move(text));
    } else if (const auto bytes = harness::flag_value(argument, "--max-workspace")) {
      options.max_workspace_bytes = parse_bytes(*bytes, "--max-workspace");
    } else if (const auto peaks = harness::flag_value(argument, "--peaks")) {
      if (peaks->empty()) refuse("--peaks", *peaks, "measure, none or a results file");
      options.peaks = *peaks;
    } else if (const auto number = harness::flag_value(argument, "--device")) {
      device = parse_device(*number, "--device", *number);
    } else {
      return false;
    }
    return true;
  });
  if (device) {
    options.device = *device;
  } else {
    take_default(options, environment);
    take_allocation(options, environment);
  }
  return options;
}

std::vector<harness::BackendFlag> cuda_flags() {
  return {
      {"--device", "N", "GPU to use, from 0 (default: CTest's allocation, BENANZA_DEVICE, or 0)"},
      {"--max-workspace", "BYTES",
       "largest workspace of one call, e.g. 512M (default: what is free)"},
      {"--peaks", "SOURCE",
       "peaks of arithmetic and bandwidth: measure (default), none, or a results file of this "
       "device (also BENANZA_PEAKS)"},
      {"--kernels", "", "add kernel names and CUPTI times to every row, after all timing"},
      {"--counters", "[=NAME,...]",
       "add hardware counters to every row, after all timing; NAME: further CUPTI counters"},
      {"--metric", "NAME=EXPRESSION", "arithmetic over counters in every row, likewise"},
      {"--metrics", "SET", "predefined metrics: memory, compute or tensor"}};
}

}  // namespace benanza::nvidia
