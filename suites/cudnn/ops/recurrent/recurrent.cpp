#include "suites/cudnn/ops/recurrent/recurrent.h"

#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/recurrent/weight_space.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"

namespace benanza::cudnn {
namespace {

cudnnForwardMode_t forward_mode(const Recurrent& shape) {
  return shape.training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
}

class RecurrentPrimitive final : public CudnnPrimitive {
 public:
  RecurrentPrimitive(const Request& request, const Recurrent& shape, const RecurrentCall& call,
                     RecurrentDescriptors descriptors, const RecurrentSpace& space)
      : CudnnPrimitive(request,
                       {.inputs = recurrent_data(shape, call),
                        .results = recurrent_results(shape, call),
                        .workspace_bytes = space.workspace_bytes,
                        .operands = recurrent_data_operands(request.variant.problem, shape)},
                       Interface::functions),
        shape_(shape),
        descriptors_(std::move(descriptors)),
        weights_(request.library, descriptors_, shape, request.variant.precision) {
    lengths_ = sequence_lengths(shape, stream());
    if (shape.training) reserve_ = nvidia::DeviceMemory(space.reserve_bytes);
  }

  void upload(std::size_t index, std::span<const float> values) override {
    if (const auto place = recurrent_data_index(shape_, index)) {
      CudnnPrimitive::upload(*place, values);
    } else {
      weights_.upload(index, values, stream());
    }
  }

  void run() override {
    const RecurrentDescriptors& d = descriptors_;
    const bool lstm = shape_.states() == 2;
    std::byte* last_h = shape_.final ? result(1) : nullptr;
    std::byte* last_c = shape_.final && lstm ? result(2) : nullptr;
    BENANZA_CUDNN(cudnnRNNForward, handle(), d.rnn.get(), forward_mode(shape_),
                  reinterpret_cast<const std::int32_t*>(lengths_.data()), d.input.get(), input(0),
                  d.output.get(), result(0), d.state.get(), shape_.initial ? input(1) : nullptr,
                  last_h, d.state.get(), shape_.initial && lstm ? input(2) : nullptr, last_c,
                  weights_.size_bytes(), weights_.data(),
                  static_cast<std::size_t>(workspace_bytes()), workspace(),
                  static_cast<std::size_t>(reserve_.size_bytes()), reserve_.data());
  }

 private:
  Recurrent shape_;
  RecurrentDescriptors descriptors_;
  WeightSpace weights_;
  nvidia::DeviceMemory lengths_;
  /// The reserve space.
  nvidia::DeviceMemory reserve_;
};

std::unique_ptr<harness::Primitive> recurrent_primitive(const Request& request,
                                                        const Recurrent& shape,
                                                        const RecurrentAlgorithm& one) {
  const Precision precision = request.variant.precision;
  const RecurrentCall call = map_recurrent(shape, precision);
  auto descriptors = describe_ready(request.library, shape, call, precision, one.algorithm);
  const RecurrentSpace space = space_of(request.library, descriptors, forward_mode(shape));
  return std::make_unique<RecurrentPrimitive>(request, shape, call, std::move(descriptors), space);
}

}  // namespace

/// The order of steps and batch belongs to the problem, not to the variant's layout.
void register_recurrent(WayTable& table) {
  table.add(functions_of<Recurrent>([](const Recurrent&) { return std::vector{Layout::plain}; },
                                    [](const Recurrent& shape, const harness::Variant& prototype) {
                                      return recurrent_algorithms(shape, prototype.precision);
                                    },
                                    recurrent_primitive));
}

}  // namespace benanza::cudnn
