#include "suites/cudnn/ops/recurrent/recurrent.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/convert.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t bias_operand = 3;

/// A matrix and its bias in the library's block of weights, in bytes from its beginning.
struct PlacedBlock {
  WeightBlock block;
  std::int64_t matrix = 0;
  std::int64_t bias = 0;
};

/// The library's block of all weights: how large it is, and where it keeps what.
class WeightSpace {
 public:
  WeightSpace(Library& library, const RecurrentDescriptors& descriptors, const Recurrent& shape,
              Precision precision)
      : precision_(precision), has_bias_(shape.bias) {
    std::size_t bytes = 0;
    BENANZA_CUDNN(cudnnGetRNNWeightSpaceSize, library.handle(), descriptors.rnn.get(), &bytes);
    image_.resize(bytes);
    memory_ = nvidia::DeviceMemory(static_cast<std::int64_t>(bytes));
    memory_.fill(0, library.cuda().stream());
    for (const WeightBlock& block : weight_blocks(shape)) {
      blocks_.push_back(place(library, descriptors, block));
    }
  }

  /// Operands weights, recurrence and bias.
  void upload(std::size_t operand, std::span<const float> values, cudaStream_t stream) {
    for (const PlacedBlock& placed : blocks_) {
      const WeightBlock& block = placed.block;
      if (operand == bias_operand) {
        put(values, block.bias_begin, block.rows, placed.bias);
      } else if (operand == block.operand) {
        put(values, block.begin, block.rows * block.columns, placed.matrix);
      }
    }
    memory_.write(image_, stream);
  }

  const std::byte* data() const { return memory_.data(); }
  std::size_t size_bytes() const { return image_.size(); }

 private:
  PlacedBlock place(Library& library, const RecurrentDescriptors& descriptors,
                    const WeightBlock& block) const {
    const TensorDescriptor matrix_tensor = make_empty_tensor();
    const TensorDescriptor bias_tensor = make_empty_tensor();
    void* matrix = nullptr;
    void* bias = nullptr;
    BENANZA_CUDNN(cudnnGetRNNWeightParams, library.handle(), descriptors.rnn.get(),
                  block.pseudo_layer, image_.size(), memory_.data(), block.matrix,
                  matrix_tensor.get(), &matrix, bias_tensor.get(), &bias);
    return {.block = block,
            .matrix = offset(matrix, block.rows * block.columns),
            .bias = has_bias_ ? offset(bias, block.rows) : 0};
  }

  std::int64_t offset(const void* address, std::int64_t elements) const {
    const std::int64_t begin = static_cast<const std::byte*>(address) - memory_.data();
    const std::int64_t end = begin + elements * element_bytes(precision_);
    if (address == nullptr || begin < 0 || end > memory_.size_bytes()) {
      throw std::runtime_error("cuDNN keeps a matrix of weights outside of their block");
    }
    return begin;
  }

  void put(std::span<const float> values, std::int64_t begin, std::int64_t count,
           std::int64_t target) {
    const auto part =
        values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    const std::vector<std::byte> stored =
        nvidia::to_storage(part, nvidia::tensor_format(precision_, {count}, Layout::plain));
    std::memcpy(image_.data() + target, stored.data(), stored.size());
  }

  Precision precision_;
  bool has_bias_;
  nvidia::DeviceMemory memory_;
  std::vector<std::byte> image_;
  std::vector<PlacedBlock> blocks_;
};

/// Operands that change with each inference: sequence and initial states.
std::vector<nvidia::TensorFormat> data_formats(const Recurrent& shape, const RecurrentCall& call) {
  std::vector<nvidia::TensorFormat> formats{call.input};
  if (shape.initial) {
    formats.insert(formats.end(), static_cast<std::size_t>(shape.states()), call.state);
  }
  return formats;
}

class RecurrentPrimitive final : public CudnnPrimitive {
 public:
  RecurrentPrimitive(Library& library, const harness::Variant& variant, const Recurrent& shape,
                     const RecurrentCall& call, RecurrentDescriptors descriptors,
                     std::int64_t workspace_bytes)
      : CudnnPrimitive(library, variant, data_formats(shape, call), call.output, workspace_bytes),
        shape_(shape),
        state_(call.state),
        descriptors_(std::move(descriptors)),
        weights_(library, descriptors_, shape, variant.precision) {
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(shape.batch),
                                            static_cast<std::int32_t>(shape.steps));
    lengths_ =
        nvidia::DeviceMemory(static_cast<std::int64_t>(lengths.size() * sizeof(std::int32_t)));
    lengths_.write(std::as_bytes(std::span(lengths)), stream());
    if (!shape.final) return;
    for (std::int64_t i = 0; i < shape.states(); ++i)
      last_.emplace_back(nvidia::span_bytes(state_));
  }

  void upload(std::size_t index, std::span<const float> values) override {
    const std::size_t first_state = shape_.bias ? bias_operand + 1 : bias_operand;
    if (index == 0) return CudnnPrimitive::upload(0, values);
    if (index < first_state) return weights_.upload(index, values, stream());
    CudnnPrimitive::upload(1 + index - first_state, values);
  }

  void poison_output() override {
    CudnnPrimitive::poison_output();
    for (nvidia::DeviceMemory& state : last_)
      state.fill(nvidia::poison_byte(state_.precision), stream());
  }

  void run() override {
    const RecurrentDescriptors& d = descriptors_;
    const bool lstm = shape_.states() == 2;
    std::byte* last_h = shape_.final ? last_[0].data() : nullptr;
    std::byte* last_c = shape_.final && lstm ? last_[1].data() : nullptr;
    BENANZA_CUDNN(cudnnRNNForward, handle(), d.rnn.get(), CUDNN_FWD_MODE_INFERENCE,
                  reinterpret_cast<const std::int32_t*>(lengths_.data()), d.input.get(), input(0),
                  d.output.get(), output(), d.state.get(), shape_.initial ? input(1) : nullptr,
                  last_h, d.state.get(), shape_.initial && lstm ? input(2) : nullptr, last_c,
                  weights_.size_bytes(), weights_.data(),
                  static_cast<std::size_t>(workspace_bytes()), workspace(), 0, nullptr);
  }

  std::vector<float> download() override {
    std::vector<float> result = CudnnPrimitive::download();
    for (const nvidia::DeviceMemory& state : last_) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(state.size_bytes()));
      state.read(bytes, stream());
      const std::vector<float> values = nvidia::from_storage(bytes, state_);
      result.insert(result.end(), values.begin(), values.end());
    }
    return result;
  }

 private:
  Recurrent shape_;
  nvidia::TensorFormat state_;
  RecurrentDescriptors descriptors_;
  WeightSpace weights_;
  nvidia::DeviceMemory lengths_;
  /// h and, for lstm, c, where they are wanted.
  std::vector<nvidia::DeviceMemory> last_;
};

std::int64_t workspace_size(Library& library, const RecurrentDescriptors& descriptors) {
  std::size_t bytes = 0;
  std::size_t reserve_bytes = 0;  // for training
  BENANZA_CUDNN(cudnnGetRNNTempSpaceSizes, library.handle(), descriptors.rnn.get(),
                CUDNN_FWD_MODE_INFERENCE, descriptors.input.get(), &bytes, &reserve_bytes);
  library.check_workspace(static_cast<std::int64_t>(bytes));
  return static_cast<std::int64_t>(bytes);
}

std::unique_ptr<harness::Primitive> create(Library& library, const Recurrent& shape,
                                           const harness::Variant& variant) {
  const RecurrentCall call = map_recurrent(shape, variant.precision);
  const auto algorithm = parse_recurrent_algorithm(variant.algorithm);
  auto descriptors = describe(shape, call, variant.precision, algorithm);
  if (algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC) {
    BENANZA_CUDNN(cudnnBuildRNNDynamic, library.handle(), descriptors.rnn.get(),
                  narrow({shape.batch}).front());
  }
  const std::int64_t bytes = workspace_size(library, descriptors);
  return std::make_unique<RecurrentPrimitive>(library, variant, shape, call, std::move(descriptors),
                                              bytes);
}

}  // namespace

/// Step by step or batch by batch is the problem's, not the variant's. All algorithms are named:
/// what one cannot do, the library says when it is set up.
void register_recurrent(SolverTable& table) {
  table.add<Recurrent>({.layouts = [](const Recurrent&) { return std::vector{Layout::plain}; },
                        .algorithms =
                            [](Library&, const Recurrent& shape, const harness::Variant& prototype,
                               harness::AlgorithmSet) {
                              map_recurrent(shape, prototype.precision);
                              std::vector<harness::Algorithm> names;
                              for (int i = 0; i < CUDNN_RNN_ALGO_COUNT; ++i) {
                                names.emplace_back(to_string(static_cast<cudnnRNNAlgo_t>(i)));
                              }
                              return names;
                            },
                        .create = create});
}

}  // namespace benanza::cudnn
