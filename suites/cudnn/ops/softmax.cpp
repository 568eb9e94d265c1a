#include "suites/cudnn/ops/softmax.h"

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"

namespace benanza::cudnn {

Dims softmax_dims(const Softmax& shape) {
  const auto axis = shape.input.begin() + shape.axis;
  return {element_count({shape.input.begin(), axis}), *axis,
          element_count({axis + 1, shape.input.end()}), 1};
}

std::vector<SoftmaxCall> softmax_calls(const Softmax& shape) {
  const bool one_row = softmax_dims(shape)[2] == 1;
  std::vector<SoftmaxCall> calls;
  const auto add = [&](const std::string& name, cudnnSoftmaxAlgorithm_t algorithm) {
    if (one_row) calls.push_back({name + ".instance", algorithm, CUDNN_SOFTMAX_MODE_INSTANCE});
    calls.push_back({name + ".channel", algorithm, CUDNN_SOFTMAX_MODE_CHANNEL});
  };
  // CUDNN_SOFTMAX_FAST overflows for usual logits: it subtracts no maximum.
  if (shape.logarithm) {
    add("log", CUDNN_SOFTMAX_LOG);
  } else {
    add("accurate", CUDNN_SOFTMAX_ACCURATE);
  }
  return calls;
}

void register_softmax(WayTable& table) {
  table.add(functions_of<Softmax>(
      [](const Softmax&) { return std::vector{Layout::plain}; },
      [](const Softmax& shape, const harness::Variant&) { return softmax_calls(shape); },
      [](const Request& request, const Softmax& shape, const SoftmaxCall& one) {
        const auto format = dense(request.variant.precision, softmax_dims(shape), Layout::plain);
        return call_of(request, dense_setup(request.variant),
                       [one, tensor = make_tensor(format)](const CudnnPrimitive& call) {
                         const float factor = call.scale();
                         BENANZA_CUDNN(cudnnSoftmaxForward, call.handle(), one.algorithm, one.mode,
                                       &factor, tensor.get(), call.input(0), &zero, tensor.get(),
                                       call.output());
                       });
      }));
}

}  // namespace benanza::cudnn
