#include "suites/onednn/system.h"

#include <omp.h>

#include <sstream>
#include <string>

#include "suites/harness/machine_context.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {
namespace {

std::string isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      break;
  }
  if (const std::string_view name = api::own_isa_name(isa); !name.empty()) return std::string(name);
  std::ostringstream number;
  number << "0x" << std::hex << static_cast<unsigned>(isa);
  return number.str();
}

std::string runtime_name(unsigned runtime) {
  switch (runtime) {
    case DNNL_RUNTIME_SEQ:
      return "sequential";
    case DNNL_RUNTIME_OMP:
      return "OpenMP";
    case DNNL_RUNTIME_TBB:
      return "TBB";
    case DNNL_RUNTIME_THREADPOOL:
      return "threadpool";
    default:
      return std::to_string(runtime);
  }
}

}  // namespace

System describe_system() {
  const dnnl_version_t& version = *dnnl_version();
  return {{"cpu_model", harness::cpu_model()},
          {"cpu_isa", isa_name(dnnl::get_effective_cpu_isa())},
          {"cache_bytes", std::to_string(harness::CacheFlush::of_this_machine().cache_bytes)},
          {"threads", std::to_string(omp_get_max_threads())},
          {"onednn_version", std::to_string(version.major) + "." + std::to_string(version.minor) +
                                 "." + std::to_string(version.patch)},
          {"onednn_cpu_runtime", runtime_name(version.cpu_runtime)}};
}

}  // namespace benanza::onednn
