#include "suites/cublas/backend.h"

#include <algorithm>
#include <span>
#include <utility>

#include "suites/cublas/ways.h"
#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/management.h"

namespace benanza::cublas {
namespace {

/// The library's own default on the largest GPUs.
constexpr std::int64_t handle_workspace = std::int64_t{32} << 20;
constexpr std::int64_t default_lt_workspace = std::int64_t{256} << 20;

}  // namespace

cublasHandle_t Library::handle() {
  if (handle_) return handle_.get();
  nvidia::CudaContext& context = cuda();
  workspace_ = nvidia::DeviceMemory(
      std::min(handle_workspace, context.options().max_workspace_bytes.value_or(handle_workspace)));
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  nvidia::Handle<cublasHandle_t, &cublasDestroy_v2> owner(handle);
  check(cublasSetStream(handle, context.stream()), "cublasSetStream");
  // After cublasSetStream(), which resets the workspace to the library's own; a capture must not
  // allocate.
  check(cublasSetWorkspace(handle, workspace_.data(),
                           static_cast<std::size_t>(workspace_.size_bytes())),
        "cublasSetWorkspace");
  // Partial sums stay in fp32, the compute type.
  check(cublasSetMathMode(
            handle, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "cublasSetMathMode");
  handle_ = std::move(owner);
  return handle;
}

cublasLtHandle_t Library::lt() {
  if (!lt_) {
    cuda();
    cublasLtHandle_t lt = nullptr;
    check(cublasLtCreate(&lt), "cublasLtCreate");
    lt_.reset(lt);
  }
  return lt_.get();
}

std::int64_t Library::lt_workspace_bytes() {
  const std::int64_t wanted = cuda_.options().max_workspace_bytes.value_or(default_lt_workspace);
  return std::min(wanted, cuda().max_workspace_bytes());
}

std::string Library::version() {
  int version = 0;
  check(cublasGetVersion(handle(), &version), "cublasGetVersion");
  return nvidia::library_version_text(static_cast<std::size_t>(version));
}

void check(cublasStatus_t status, std::string_view call, std::source_location where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string words =
      std::string(cublasGetStatusName(status)) + ", " + cublasGetStatusString(status);
  auto failure = nvidia::Failure::broken;
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH) {
    failure = nvidia::Failure::refused;
  } else if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    failure = nvidia::Failure::out_of_memory;
  }
  nvidia::fail(failure, call, words, where);
}

nvidia::DeviceMemory device_addresses(std::byte* base, const std::vector<std::int64_t>& offsets,
                                      std::int64_t size_bytes, cudaStream_t stream) {
  std::vector<std::byte*> addresses;
  addresses.reserve(offsets.size());
  for (const std::int64_t offset : offsets) addresses.push_back(base + offset * size_bytes);
  const auto bytes = std::as_bytes(std::span(addresses));
  nvidia::DeviceMemory memory(static_cast<std::int64_t>(bytes.size()));
  memory.write(bytes, stream);
  return memory;
}

CublasBackend::CublasBackend(nvidia::LazyContext& device)
    : CudaBackend("cuBLAS", way_table(), device) {}

System CublasBackend::system() {
  System system = device().get().system();
  system["cublas"] = library().version();
  system["cublaslt"] = nvidia::library_version_text(cublasLtGetVersion());
  return system;
}

std::vector<LibraryVersion> CublasBackend::libraries() const {
  // cublasGetVersion() requires a handle, and therefore a device.
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(cublasGetProperty(part, &number), "cublasGetProperty");
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return {{"cuBLAS", version}, {"cuBLASLt", nvidia::library_version_text(cublasLtGetVersion())}};
}

}  // namespace benanza::cublas
