#include "suites/nvidia/device/identity.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <string>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/shared_library.h"

namespace benanza::nvidia {
namespace {

std::int64_t attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
}

/// Facts from the driver's management library. Reads, never sets.
class Nvml {
 public:
  explicit Nvml(int device) {
    if (library_.symbol<Status()>("nvmlInit_v2")() != 0) throw std::runtime_error("nvmlInit_v2");
    initialised_.reset(this);
    std::array<char, 32> address{};
    check(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device),
          "cudaDeviceGetPCIBusId");
    if (library_.symbol<Status(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2")(
            address.data(), &device_) != 0) {
      throw std::runtime_error("nvmlDeviceGetHandleByPciBusId_v2");
    }
  }

  std::string driver_version() const {
    std::array<char, 96> text{};
    const auto get = library_.symbol<Status(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return get(text.data(), static_cast<unsigned>(text.size())) == 0 ? text.data() : "";
  }

  /// 0 if the device does not tell.
  unsigned power_limit_watts() const {
    unsigned milliwatts = 0;
    const auto get = library_.symbol<Status(void*, unsigned*)>("nvmlDeviceGetPowerManagementLimit");
    return get(device_, &milliwatts) == 0 ? milliwatts / 1000 : 0;
  }

 private:
  using Status = int;
  struct Shutdown {
    void operator()(const Nvml* nvml) const noexcept {
      nvml->library_.symbol<Status()>("nvmlShutdown")();
    }
  };
  SharedLibrary library_{"libnvidia-ml.so.1"};
  std::unique_ptr<const Nvml, Shutdown> initialised_;
  void* device_ = nullptr;
};

void add_management_facts(System& system, int device) {
  try {
    const Nvml nvml(device);
    if (const auto version = nvml.driver_version(); !version.empty()) system["driver"] = version;
    if (const unsigned watts = nvml.power_limit_watts(); watts > 0) {
      system["power_limit_w"] = std::to_string(watts);
    }
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::runtime_error&) {
    // Without the management library these two stay unknown.
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
