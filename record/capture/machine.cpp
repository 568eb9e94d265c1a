#include "record/capture/machine.h"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace benanza::record {

std::string machine() {
  std::string model = "unknown CPU";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    model = line.substr(colon + 2);
    break;
  }
  utsname system{};
  ::uname(&system);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads, " +
         system.sysname + ' ' + system.release + ' ' + system.machine;
}

}  // namespace benanza::record
