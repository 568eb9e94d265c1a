#include "suites/cudnn/ops/recurrent/recurrent.h"

#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/recurrent/weight_space.h"
#include "suites/cudnn/primitive/several_results.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t bias_operand = 3;

cudnnForwardMode_t forward_mode(const Recurrent& shape) {
  return shape.training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
}

/// Operands that change with each inference: sequence and initial states.
std::vector<nvidia::TensorFormat> data_formats(const Recurrent& shape, const RecurrentCall& call) {
  std::vector<nvidia::TensorFormat> formats{call.input};
  if (shape.initial) {
    formats.insert(formats.end(), static_cast<std::size_t>(shape.states()), call.state);
  }
  return formats;
}

class RecurrentPrimitive final : public SeveralResults {
 public:
  RecurrentPrimitive(Library& library, const harness::Variant& variant, const Recurrent& shape,
                     const RecurrentCall& call, RecurrentDescriptors descriptors,
                     const RecurrentSpace& space)
      : SeveralResults(library, variant, data_formats(shape, call), recurrent_results(shape, call),
                       space.workspace_bytes),
        shape_(shape),
        descriptors_(std::move(descriptors)),
        weights_(library, descriptors_, shape, variant.precision) {
    lengths_ = sequence_lengths(shape, stream());
    if (shape.training) reserve_ = nvidia::DeviceMemory(space.reserve_bytes);
  }

  void upload(std::size_t index, std::span<const float> values) override {
    const std::size_t first_state = shape_.bias ? bias_operand + 1 : bias_operand;
    if (index == 0) return SeveralResults::upload(0, values);
    if (index < first_state) return weights_.upload(index, values, stream());
    SeveralResults::upload(1 + index - first_state, values);
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

std::unique_ptr<harness::Primitive> create(Library& library, const Recurrent& shape,
                                           const harness::Variant& variant) {
  const RecurrentCall call = map_recurrent(shape, variant.precision);
  auto descriptors = describe_ready(library, shape, call, variant);
  const RecurrentSpace space = space_of(library, descriptors, forward_mode(shape));
  return std::make_unique<RecurrentPrimitive>(library, variant, shape, call, std::move(descriptors),
                                              space);
}

}  // namespace

/// The order of steps and batch belongs to the problem, not to the variant's layout.
void register_recurrent(SolverTable& table) {
  table.add<Recurrent>(
      {.layouts = [](const Recurrent&) { return std::vector{Layout::plain}; },
       .algorithms =
           [](Library&, const Recurrent& shape, const harness::Variant& prototype,
              harness::AlgorithmSet) { return recurrent_algorithms(shape, prototype.precision); },
       .create = create});
}

}  // namespace benanza::cudnn
