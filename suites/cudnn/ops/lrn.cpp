#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"

namespace benanza::cudnn {

/// The library divides alpha by the window's size and starts the window floor((size - 1) / 2)
/// channels earlier, both as ONNX does. Supports sizes of 1 to 16, beta from 0.01 and k from 1e-5.
void register_lrn(WayTable& table) {
  table.add(function<Lrn>(
      "cross_channel", [](const Lrn& shape) { return image_layouts(shape.input); },
      [](const Request& request, const Lrn& shape) {
        return call_of(request, dense_setup(request.variant),
                       [tensor = make_tensor(dense_output(request.variant)),
                        lrn = make_lrn(shape.size, shape.alpha, shape.beta, shape.k)](
                           const CudnnPrimitive& call) {
                         const float factor = call.scale();
                         BENANZA_CUDNN(cudnnLRNCrossChannelForward, call.handle(), lrn.get(),
                                       CUDNN_LRN_CROSS_CHANNEL_DIM1, &factor, tensor.get(),
                                       call.input(0), &zero, tensor.get(), call.output());
                       });
      }));
}

}  // namespace benanza::cudnn
