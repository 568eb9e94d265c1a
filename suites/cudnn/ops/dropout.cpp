#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"

namespace benanza::cudnn {
namespace {

constexpr unsigned long long mask_seed = 2020;

std::unique_ptr<harness::Primitive> dropout_primitive(const Request& request,
                                                      const Dropout& shape) {
  if (request.variant.precision == Precision::int8) {
    throw harness::Unsupported("dropout is not for integers");
  }
  const cudnnHandle_t handle = request.library.handle();
  TensorDescriptor tensor = make_tensor(dense_output(request.variant));
  DropoutDescriptor dropout = make_dropout();
  std::size_t state_bytes = 0;
  BENANZA_CUDNN(cudnnDropoutGetStatesSize, handle, &state_bytes);
  nvidia::DeviceMemory states(static_cast<std::int64_t>(state_bytes));
  // Seeds the generators once; not part of the call.
  BENANZA_CUDNN(cudnnSetDropoutDescriptor, dropout.get(), handle, shape.ratio, states.data(),
                state_bytes, mask_seed);
  std::size_t mask_bytes = 0;
  BENANZA_CUDNN(cudnnDropoutGetReserveSpaceSize, tensor.get(), &mask_bytes);
  return call_of(
      request, dense_setup(request.variant),
      [tensor = std::move(tensor), dropout = std::move(dropout), states = std::move(states),
       mask = nvidia::DeviceMemory(static_cast<std::int64_t>(mask_bytes))](
          const CudnnPrimitive& call) {
        BENANZA_CUDNN(cudnnDropoutForward, call.handle(), dropout.get(), tensor.get(),
                      call.input(0), tensor.get(), call.output(), mask.data(),
                      static_cast<std::size_t>(mask.size_bytes()));
      });
}

}  // namespace

void register_dropout(WayTable& table) {
  table.add(function<Dropout>(
      "dropout", [](const Dropout&) { return std::vector{Layout::plain}; }, dropout_primitive));
}

}  // namespace benanza::cudnn
