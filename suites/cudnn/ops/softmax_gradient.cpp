#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/softmax.h"
#include "suites/cudnn/primitive/call.h"

namespace benanza::cudnn {

/// Has the algorithms of softmax. Reads the gradient of the output and the forward result.
void register_softmax_gradient(WayTable& table) {
  table.add(functions_of<SoftmaxGradient>(
      [](const SoftmaxGradient&) { return std::vector{Layout::plain}; },
      [](const SoftmaxGradient& shape, const harness::Variant& prototype) {
        refuse_int8_gradients(prototype);
        return softmax_calls(shape.forward);
      },
      [](const Request& request, const SoftmaxGradient& shape, const SoftmaxCall& one) {
        const auto format =
            dense(request.variant.precision, softmax_dims(shape.forward), Layout::plain);
        return call_of(request, dense_setup(request.variant),
                       [one, tensor = make_tensor(format)](const CudnnPrimitive& call) {
                         BENANZA_CUDNN(cudnnSoftmaxBackward, call.handle(), one.algorithm, one.mode,
                                       &cudnn::one, tensor.get(), call.input(1), tensor.get(),
                                       call.input(0), &zero, tensor.get(), call.output());
                       });
      }));
}

}  // namespace benanza::cudnn
