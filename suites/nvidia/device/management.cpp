#include "suites/nvidia/device/management.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

#include "core/nvidia/shared_library.h"
#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {
namespace {

// From nvml.h, which is installed with the driver and not required at build time.
using Status = int;
using Device = void*;
constexpr Status success = 0;
constexpr Status insufficient_size = 7;
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int temperature_gpu = 0;

struct ProcessInfo {
  unsigned process;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct ProcessSample {
  unsigned process;
  unsigned long long microseconds;
  unsigned sm_percent;
  unsigned memory_percent;
  unsigned encoder_percent;
  unsigned decoder_percent;
};

struct Utilization {
  unsigned gpu_percent;
  unsigned memory_percent;
};

class Nvml final : public Management {
 public:
  /// Throws std::runtime_error if the library or the device is not available.
  explicit Nvml(int device) {
    if (library_.symbol<Status()>("nvmlInit_v2")() != success) {
      throw std::runtime_error("nvmlInit_v2");
    }
    initialised_.reset(&library_);
    std::array<char, 32> address{};
    check(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device),
          "cudaDeviceGetPCIBusId");
    if (library_.symbol<Status(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2")(
            address.data(), &device_) != success) {
      throw std::runtime_error("nvmlDeviceGetHandleByPciBusId_v2");
    }
    get_clock_ = find<Status(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
    get_reasons_ =
        find<Status(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksEventReasons");
    if (get_reasons_ == nullptr) {
      get_reasons_ =
          find<Status(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    get_power_ = find<Status(Device, unsigned*)>("nvmlDeviceGetPowerUsage");
    get_power_limit_ = find<Status(Device, unsigned*)>("nvmlDeviceGetPowerManagementLimit");
    get_energy_ = find<Status(Device, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
    get_temperature_ = find<Status(Device, int, unsigned*)>("nvmlDeviceGetTemperature");
    get_utilization_ = find<Status(Device, Utilization*)>("nvmlDeviceGetUtilizationRates");
    get_processes_ =
        find<Status(Device, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v3");
    get_use_ = find<Status(Device, ProcessSample*, unsigned*, unsigned long long)>(
        "nvmlDeviceGetProcessUtilization");
  }

  std::optional<std::string> driver_version() override {
    std::array<char, 96> text{};
    const auto get = find<Status(char*, unsigned)>("nvmlSystemGetDriverVersion");
    if (get == nullptr || get(text.data(), static_cast<unsigned>(text.size())) != success) {
      return std::nullopt;
    }
    return text.front() == '\0' ? std::nullopt : std::optional<std::string>(text.data());
  }

  std::optional<double> power_limit_watts() override { return watts(get_power_limit_); }
  std::optional<double> power_watts() override { return watts(get_power_); }
  std::optional<double> sm_clock_mhz() override { return number(get_clock_, clock_sm); }
  std::optional<double> memory_clock_mhz() override { return number(get_clock_, clock_memory); }
  std::optional<double> energy_joules() override {
    unsigned long long millijoules = 0;
    if (get_energy_ == nullptr || get_energy_(device_, &millijoules) != success) {
      return std::nullopt;
    }
    return static_cast<double>(millijoules) / 1000;
  }
  std::optional<double> temperature_celsius() override {
    return number(get_temperature_, temperature_gpu);
  }

  std::optional<std::uint64_t> clock_reasons() override {
    unsigned long long reasons = 0;
    if (get_reasons_ == nullptr || get_reasons_(device_, &reasons) != success) return std::nullopt;
    return reasons;
  }

  std::optional<double> utilization_percent() override {
    Utilization rates{};
    if (get_utilization_ == nullptr || get_utilization_(device_, &rates) != success) {
      return std::nullopt;
    }
    return rates.gpu_percent;
  }

  std::optional<std::vector<unsigned>> compute_processes() override {
    if (get_processes_ == nullptr) return std::nullopt;
    std::vector<ProcessInfo> infos(64);
    auto count = static_cast<unsigned>(infos.size());
    const Status status = get_processes_(device_, &count, infos.data());
    // If there are more than fit, only their number matters.
    if (status != success && status != insufficient_size) return std::nullopt;
    infos.resize(std::min<std::size_t>(count, infos.size()));
    std::vector<unsigned> processes;
    for (const ProcessInfo& info : infos) processes.push_back(info.process);
    return processes;
  }

  std::optional<std::vector<ProcessUse>> process_use() override {
    if (get_use_ == nullptr) return std::nullopt;
    unsigned count = 0;
    const Status asked = get_use_(device_, nullptr, &count, last_sample_);
    if (asked != success && asked != insufficient_size) return std::nullopt;
    std::vector<ProcessSample> samples(count);
    if (count > 0 && get_use_(device_, samples.data(), &count, last_sample_) != success) {
      return std::nullopt;
    }
    samples.resize(std::min<std::size_t>(count, samples.size()));
    std::vector<ProcessUse> uses;
    for (const ProcessSample& sample : samples) {
      last_sample_ = std::max(last_sample_, sample.microseconds);
      uses.push_back({.process = sample.process, .percent = sample.sm_percent});
    }
    return uses;
  }

 private:
  struct Shutdown {
    void operator()(const SharedLibrary* library) const noexcept {
      library->symbol<Status()>("nvmlShutdown")();
    }
  };

  /// Returns null if the library lacks the function.
  template <class Function>
  Function* find(const char* name) const {
    try {
      return library_.symbol<Function>(name);
    } catch (const std::runtime_error&) {
      return nullptr;
    }
  }

  std::optional<double> watts(Status (*get)(Device, unsigned*)) const {
    unsigned milliwatts = 0;
    if (get == nullptr || get(device_, &milliwatts) != success || milliwatts == 0) {
      return std::nullopt;
    }
    return milliwatts / 1000.0;
  }

  std::optional<double> number(Status (*get)(Device, int, unsigned*), int which) const {
    unsigned value = 0;
    if (get == nullptr || get(device_, which, &value) != success) return std::nullopt;
    return value;
  }

  SharedLibrary library_{"libnvidia-ml.so.1"};
  std::unique_ptr<const SharedLibrary, Shutdown> initialised_;
  Device device_ = nullptr;
  /// Microseconds since 1970 of the latest sample of process_use().
  unsigned long long last_sample_ = 0;
  Status (*get_clock_)(Device, int, unsigned*) = nullptr;
  Status (*get_reasons_)(Device, unsigned long long*) = nullptr;
  Status (*get_power_)(Device, unsigned*) = nullptr;
  Status (*get_power_limit_)(Device, unsigned*) = nullptr;
  Status (*get_energy_)(Device, unsigned long long*) = nullptr;
  Status (*get_temperature_)(Device, int, unsigned*) = nullptr;
  Status (*get_utilization_)(Device, Utilization*) = nullptr;
  Status (*get_processes_)(Device, unsigned*, ProcessInfo*) = nullptr;
  Status (*get_use_)(Device, ProcessSample*, unsigned*, unsigned long long) = nullptr;
};

}  // namespace

std::unique_ptr<Management> open_management(int device) {
  try {
    return std::make_unique<Nvml>(device);
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

namespace {

std::int64_t attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
}

void add_management_facts(System& system, int device) {
  const auto management = open_management(device);
  if (!management) return;  // Both stay unknown without NVML.
  if (const auto version = management->driver_version()) system["driver"] = *version;
  if (const auto watts = management->power_limit_watts()) {
    system["power_limit_w"] = std::to_string(static_cast<std::int64_t>(*watts));
  }
}

}  // namespace

std::string library_version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

System cuda_system(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");

  const auto number = [&](cudaDeviceAttr name) { return std::to_string(attribute(name, device)); };
  System system{
      {"device", properties.name},
      {"compute_capability",
       std::to_string(properties.major) + "." + std::to_string(properties.minor)},
      {"multiprocessors", number(cudaDevAttrMultiProcessorCount)},
      {"memory_bytes", std::to_string(properties.totalGlobalMem)},
      {"memory_bus_bits", number(cudaDevAttrGlobalMemoryBusWidth)},
      {"l2_bytes", number(cudaDevAttrL2CacheSize)},
      {"ecc", attribute(cudaDevAttrEccEnabled, device) != 0 ? "on" : "off"},
      {"sm_clock_khz", number(cudaDevAttrClockRate)},
      {"memory_clock_khz", number(cudaDevAttrMemoryClockRate)},
      {"cuda_driver", cuda_version_text(driver)},
      {"cuda_runtime", cuda_version_text(runtime)},
  };
  add_management_facts(system, device);
  return system;
}

}  // namespace benanza::nvidia
