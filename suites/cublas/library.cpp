#include "suites/cublas/library.h"

#include <algorithm>

#include "suites/cublas/status.h"

namespace benanza::cublas {
namespace {

/// What the library itself would take on the largest GPUs.
constexpr std::int64_t handle_workspace = std::int64_t{32} << 20;
constexpr std::int64_t default_lt_workspace = std::int64_t{256} << 20;

}  // namespace

Library::Library(CudaContext& context)
    : context_(context),
      workspace_(std::min(handle_workspace,
                          context.options().max_workspace_bytes.value_or(handle_workspace))) {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  handle_.reset(handle);
  check(cublasSetStream(handle, context.stream()), "cublasSetStream");
  // After the stream, which takes the library's own workspace back; a capture may not allocate.
  check(cublasSetWorkspace(handle, workspace_.data(),
                           static_cast<std::size_t>(workspace_.size_bytes())),
        "cublasSetWorkspace");
  // Partial sums stay in fp32, as the compute type says.
  check(cublasSetMathMode(
            handle, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "cublasSetMathMode");
  cublasLtHandle_t lt = nullptr;
  check(cublasLtCreate(&lt), "cublasLtCreate");
  lt_.reset(lt);
}

std::int64_t Library::lt_workspace_bytes() const {
  const std::int64_t wanted = context_.options().max_workspace_bytes.value_or(default_lt_workspace);
  return std::min(wanted, context_.max_workspace_bytes());
}

std::string Library::version() const {
  int version = 0;
  check(cublasGetVersion(handle(), &version), "cublasGetVersion");
  return version_text(static_cast<std::size_t>(version));
}

std::string version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace benanza::cublas
