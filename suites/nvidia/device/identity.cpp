#include "suites/nvidia/device/identity.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {
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
