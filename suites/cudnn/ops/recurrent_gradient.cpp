#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/recurrent.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {
namespace {

/// Null for a state that the network does not have.
struct States {
  std::byte* h = nullptr;
  std::byte* c = nullptr;
};

/// The common state of the three calls of a training step.
class Training {
 public:
  Training(Library& library, const Recurrent& shape, const RecurrentCall& call,
           RecurrentDescriptors descriptors, const RecurrentSpace& space, Precision precision)
      : library_(library),
        shape_(shape),
        descriptors_(std::move(descriptors)),
        weights_(library, descriptors_, shape, precision),
        lengths_(sequence_lengths(shape, library.cuda().stream())),
        y_(nvidia::span_bytes(call.output)),
        reserve_(space.reserve_bytes),
        workspace_bytes_(static_cast<std::size_t>(space.workspace_bytes)) {
    reserve_.fill(0, library.cuda().stream());
  }

  const Recurrent& shape() const { return shape_; }
  const RecurrentDescriptors& descriptors() const { return descriptors_; }
  WeightSpace& weights() { return weights_; }

  void forward(const std::byte* x, const States& initial, std::byte* workspace) {
    const RecurrentDescriptors& d = descriptors_;
    BENANZA_CUDNN(cudnnRNNForward, library_.handle(), d.rnn.get(), CUDNN_FWD_MODE_TRAINING,
                  lengths(), d.input.get(), x, d.output.get(), y_.data(), d.state.get(), initial.h,
                  nullptr, d.state.get(), initial.c, nullptr, weights_.size_bytes(),
                  weights_.data(), workspace_bytes_, workspace, reserve_bytes(), reserve_.data());
  }

  /// `initial_gradient` is null if it is not requested.
  void back_to_data(const std::byte* dy, const States& initial, const States& last_gradient,
                    std::byte* dx, const States& initial_gradient, std::byte* workspace) {
    const RecurrentDescriptors& d = descriptors_;
    BENANZA_CUDNN(cudnnRNNBackwardData_v8, library_.handle(), d.rnn.get(), lengths(),
                  d.output.get(), y_.data(), dy, d.input.get(), dx, d.state.get(), initial.h,
                  last_gradient.h, initial_gradient.h, d.state.get(), initial.c, last_gradient.c,
                  initial_gradient.c, weights_.size_bytes(), weights_.data(), workspace_bytes_,
                  workspace, reserve_bytes(), reserve_.data());
  }

  /// Adds to `gradient`; the library has no other mode.
  void back_to_weights(const std::byte* x, const States& initial, const WeightSpace& gradient,
                       std::byte* workspace) {
    const RecurrentDescriptors& d = descriptors_;
    BENANZA_CUDNN(cudnnRNNBackwardWeights_v8, library_.handle(), d.rnn.get(), CUDNN_WGRAD_MODE_ADD,
                  lengths(), d.input.get(), x, d.state.get(), initial.h, d.output.get(), y_.data(),
                  gradient.size_bytes(), gradient.data(), workspace_bytes_, workspace,
                  reserve_bytes(), reserve_.data());
  }

 private:
  const std::int32_t* lengths() const {
    return reinterpret_cast<const std::int32_t*>(lengths_.data());
  }
  std::size_t reserve_bytes() const { return static_cast<std::size_t>(reserve_.size_bytes()); }

  Library& library_;
  Recurrent shape_;
  RecurrentDescriptors descriptors_;
  WeightSpace weights_;
  nvidia::DeviceMemory lengths_;
  nvidia::DeviceMemory y_;
  nvidia::DeviceMemory reserve_;
  std::size_t workspace_bytes_;
};

/// The operands are those of the forward call that change with each training step, then the
/// gradients of its results.
nvidia::CallSetup setup_of(const harness::Variant& variant, const Recurrent& shape,
                           const RecurrentCall& call, const RecurrentSpace& space,
                           std::vector<nvidia::TensorFormat> results) {
  nvidia::CallSetup setup{.inputs = recurrent_data(shape, call),
                          .results = std::move(results),
                          .workspace_bytes = space.workspace_bytes,
                          .operands = recurrent_data_operands(variant.problem, shape)};
  const std::vector<nvidia::TensorFormat> gradients = recurrent_results(shape, call);
  setup.inputs.insert(setup.inputs.end(), gradients.begin(), gradients.end());
  return setup;
}

/// What both gradients have in common.
class GradientPrimitive : public CudnnPrimitive {
 public:
  void upload(std::size_t index, std::span<const float> values) override {
    if (const auto place = recurrent_data_index(shape(), index)) {
      CudnnPrimitive::upload(*place, values);
    } else {
      training_.weights().upload(index, values, stream());
    }
  }

 protected:
  GradientPrimitive(const Request& request, const Recurrent& shape, const RecurrentCall& call,
                    RecurrentDescriptors descriptors, const RecurrentSpace& space,
                    std::vector<nvidia::TensorFormat> results)
      : CudnnPrimitive(request, setup_of(request.variant, shape, call, space, std::move(results)),
                       Interface::functions),
        training_(request.library, shape, call, std::move(descriptors), space,
                  request.variant.precision) {}

  Training& training() { return training_; }
  const Recurrent& shape() const { return training_.shape(); }
  States initial() const { return shape().initial ? states_at(1) : States{}; }
  std::size_t gradients_begin() const {
    return shape().initial ? 1 + static_cast<std::size_t>(shape().states()) : 1;
  }
  States last_gradient() const {
    return shape().final ? states_at(gradients_begin() + 1) : States{};
  }

 private:
  States states_at(std::size_t begin) const {
    return {.h = input(begin), .c = shape().states() == 2 ? input(begin + 1) : nullptr};
  }

  Training training_;
};

/// The call for the data gradient. It overwrites the reserve space that the forward call filled, so
/// only the first call of a timed region has valid input, and the values of later calls soon
/// overflow. They take the same time, because a step's work does not depend on values.
class GradientOfData final : public GradientPrimitive {
 public:
  GradientOfData(const Request& request, const Recurrent& shape, const RecurrentCall& call,
                 RecurrentDescriptors descriptors, const RecurrentSpace& space)
      : GradientPrimitive(request, shape, call, std::move(descriptors), space,
                          recurrent_data(shape, call)) {}

  void restore() override { training().forward(input(0), initial(), workspace()); }

  void run() override {
    training().back_to_data(input(gradients_begin()), initial(), last_gradient(), result(0),
                            initial_gradient(), workspace());
  }

 private:
  States initial_gradient() const {
    if (!shape().initial) return {};
    return {.h = result(1), .c = shape().states() == 2 ? result(2) : nullptr};
  }
};

/// The call for the weight gradient, which runs after the data gradient's call on their common
/// reserve space. It adds to its result, which grows over many calls at no cost in time.
class GradientOfWeights final : public GradientPrimitive {
 public:
  GradientOfWeights(const Request& request, const Recurrent& shape, const RecurrentCall& call,
                    RecurrentDescriptors descriptors, const RecurrentSpace& space)
      : GradientPrimitive(request, shape, call, std::move(descriptors), space, {call.input}),
        gradient_(request.library, training().descriptors(), shape, request.variant.precision) {}

  void restore() override {
    training().forward(input(0), initial(), workspace());
    training().back_to_data(input(gradients_begin()), initial(), last_gradient(), output(), {},
                            workspace());
  }

  void poison_output() override { gradient_.clear(stream()); }

  void run() override { training().back_to_weights(input(0), initial(), gradient_, workspace()); }

  std::vector<float> download() override { return gradient_.download(stream()); }
  std::optional<Glimpse> glimpse(std::span<const std::int64_t>) override { return std::nullopt; }

 private:
  WeightSpace gradient_;
};

std::unique_ptr<harness::Primitive> recurrent_gradient_primitive(const Request& request,
                                                                 const RecurrentGradient& gradient,
                                                                 const RecurrentAlgorithm& one) {
  const Recurrent& shape = gradient.forward;
  const Precision precision = request.variant.precision;
  const RecurrentCall call = map_recurrent(shape, precision);
  auto descriptors = describe_ready(request.library, shape, call, precision, one.algorithm);
  const RecurrentSpace space = space_of(request.library, descriptors, CUDNN_FWD_MODE_TRAINING);
  if (gradient.of == RecurrentGradients::of_data) {
    return std::make_unique<GradientOfData>(request, shape, call, std::move(descriptors), space);
  }
  return std::make_unique<GradientOfWeights>(request, shape, call, std::move(descriptors), space);
}

}  // namespace

void register_recurrent_gradient(WayTable& table) {
  table.add(functions_of<RecurrentGradient>(
      [](const RecurrentGradient&) { return std::vector{Layout::plain}; },
      [](const RecurrentGradient& shape, const harness::Variant& prototype) {
        if (shape.of == RecurrentGradients::of_both) {
          throw harness::Unsupported("cuDNN has a call for the data and one for the weights");
        }
        return recurrent_algorithms(shape.forward, prototype.precision);
      },
      recurrent_gradient_primitive));
}

}  // namespace benanza::cudnn
