#include "suites/cudnn/ops/recurrent.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {
namespace {

constexpr std::size_t weight_space_bias = 3;

}  // namespace

WeightSpace::WeightSpace(Library& library, const RecurrentDescriptors& descriptors,
                         const Recurrent& shape, Precision precision)
    : precision_(precision), has_bias_(shape.bias) {
  for (const Operand& operand : shape.inputs()) {
    if (operand.role == Role::weights) lengths_.push_back(element_count(operand.dims));
  }
  std::size_t bytes = 0;
  BENANZA_CUDNN(cudnnGetRNNWeightSpaceSize, library.handle(), descriptors.rnn.get(), &bytes);
  image_.resize(bytes);
  memory_ = nvidia::DeviceMemory(static_cast<std::int64_t>(bytes));
  clear(library.cuda().stream());
  for (const WeightBlock& block : weight_blocks(shape)) {
    blocks_.push_back(place(library, descriptors, block));
  }
}

void WeightSpace::clear(cudaStream_t stream) { memory_.fill(0, stream); }

void WeightSpace::upload(std::size_t operand, std::span<const float> values, cudaStream_t stream) {
  for (const PlacedBlock& placed : blocks_) {
    const WeightBlock& block = placed.block;
    if (operand == weight_space_bias) {
      put(values, block.bias_begin, block.rows, placed.bias);
    } else if (operand == block.operand) {
      put(values, block.begin, block.rows * block.columns, placed.matrix);
    }
  }
  memory_.write(image_, stream);
}

std::vector<float> WeightSpace::download(cudaStream_t stream) const {
  std::vector<std::byte> image(image_.size());
  memory_.read(image, stream);
  std::vector<std::vector<float>> operands;
  for (const std::int64_t length : lengths_) {
    operands.emplace_back(static_cast<std::size_t>(length));
  }
  const auto take = [&](std::int64_t from, std::int64_t count, std::size_t operand,
                        std::int64_t begin) {
    const nvidia::TensorFormat format = nvidia::tensor_format(precision_, {count}, Layout::plain);
    const auto bytes =
        std::span(image).subspan(static_cast<std::size_t>(from),
                                 static_cast<std::size_t>(count * element_bytes(precision_)));
    const std::vector<float> values = nvidia::from_storage(bytes, format);
    std::copy(values.begin(), values.end(), operands.at(operand - 1).begin() + begin);
  };
  for (const PlacedBlock& placed : blocks_) {
    const WeightBlock& block = placed.block;
    take(placed.matrix, block.rows * block.columns, block.operand, block.begin);
    if (has_bias_) take(placed.bias, block.rows, weight_space_bias, block.bias_begin);
  }
  std::vector<float> all;
  for (const std::vector<float>& values : operands) {
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

WeightSpace::PlacedBlock WeightSpace::place(Library& library,
                                            const RecurrentDescriptors& descriptors,
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

std::int64_t WeightSpace::offset(const void* address, std::int64_t elements) const {
  const std::int64_t begin = static_cast<const std::byte*>(address) - memory_.data();
  const std::int64_t end = begin + elements * element_bytes(precision_);
  if (address == nullptr || begin < 0 || end > memory_.size_bytes()) {
    throw std::runtime_error("cuDNN keeps a matrix of weights outside of their block");
  }
  return begin;
}

void WeightSpace::put(std::span<const float> values, std::int64_t begin, std::int64_t count,
                      std::int64_t target) {
  const auto part =
      values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  const std::vector<std::byte> stored =
      nvidia::to_storage(part, nvidia::tensor_format(precision_, {count}, Layout::plain));
  std::memcpy(image_.data() + target, stored.data(), stored.size());
}

namespace {

cudnnRNNMode_t mode_of(const Recurrent& shape) {
  switch (shape.kind) {
    case RecurrentKind::rnn_tanh:
      return CUDNN_RNN_TANH;
    case RecurrentKind::rnn_relu:
      return CUDNN_RNN_RELU;
    case RecurrentKind::lstm:
      return CUDNN_LSTM;
    case RecurrentKind::gru:
      return CUDNN_GRU;
  }
  throw std::logic_error("unknown recurrence");
}

/// The library's index of each of the problem's gates.
std::vector<int> gate_places(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::lstm:
      return {0, 3, 1, 2};
    case RecurrentKind::gru:
      return {1, 0, 2};
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  return {0};
}

}  // namespace

RecurrentCall map_recurrent(const Recurrent& shape, Precision precision) {
  if (shape.direction == RecurrentDirection::reverse) {
    throw harness::Unsupported("cuDNN has no recurrence from the last step to the first alone");
  }
  if (shape.kind == RecurrentKind::gru && !shape.linear_before_reset) {
    throw harness::Unsupported(
        "cuDNN's GRU resets after the recurrent product (linear_before_reset = 1)");
  }
  const std::int64_t directions = shape.directions();
  RecurrentCall call;
  call.mode = mode_of(shape);
  call.bias = shape.bias ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS;
  call.direction = directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL;
  if (shape.batch_first) {
    call.layout = CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED;
    call.flags = CUDNN_RNN_PADDED_IO_ENABLED;
  }
  call.input = nvidia::tensor_format(precision, shape.inputs()[0].dims, Layout::plain);
  call.output = nvidia::tensor_format(precision, shape.results()[0], Layout::plain);
  if (!shape.batch_first) {
    call.output.strides = {shape.batch * directions * shape.hidden, shape.hidden,
                           directions * shape.hidden, 1};
  }
  call.state = nvidia::tensor_format(
      precision, {shape.layers * directions, shape.batch, shape.hidden}, Layout::plain);
  return call;
}

std::vector<nvidia::TensorFormat> recurrent_data(const Recurrent& shape,
                                                 const RecurrentCall& call) {
  std::vector<nvidia::TensorFormat> formats{call.input};
  if (shape.initial) {
    formats.insert(formats.end(), static_cast<std::size_t>(shape.states()), call.state);
  }
  return formats;
}

std::optional<std::size_t> recurrent_data_index(const Recurrent& shape, std::size_t index) {
  const std::size_t weights = shape.bias ? 3 : 2;
  if (index == 0) return 0;
  if (index <= weights) return std::nullopt;
  return index - weights;
}

std::vector<std::size_t> recurrent_data_operands(const Problem& problem, const Recurrent& shape) {
  std::vector<std::size_t> operands;
  for (std::size_t index = 0; index < inputs(problem).size(); ++index) {
    if (recurrent_data_index(shape, index)) operands.push_back(index);
  }
  return operands;
}

std::vector<nvidia::TensorFormat> recurrent_results(const Recurrent& shape,
                                                    const RecurrentCall& call) {
  std::vector<nvidia::TensorFormat> formats{call.output};
  if (shape.final) {
    formats.insert(formats.end(), static_cast<std::size_t>(shape.states()), call.state);
  }
  return formats;
}

std::vector<WeightBlock> weight_blocks(const Recurrent& shape) {
  const std::vector<int> places = gate_places(shape.kind);
  const std::int64_t gates = shape.gates();
  const std::int64_t rows = gates * shape.hidden;
  std::vector<WeightBlock> blocks;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (std::int64_t direction = 0; direction < shape.directions(); ++direction) {
      const std::int64_t cell = layer * shape.directions() + direction;
      for (std::int64_t gate = 0; gate < gates; ++gate) {
        const std::int64_t inputs = shape.layer_inputs(layer);
        const std::int64_t row = gate * shape.hidden;
        const int place = places[static_cast<std::size_t>(gate)];
        const WeightBlock input{.pseudo_layer = static_cast<int>(cell),
                                .matrix = place,
                                .operand = 1,
                                .begin = shape.weights_begin(layer, direction) + row * inputs,
                                .rows = shape.hidden,
                                .columns = inputs,
                                .bias_begin = cell * 2 * rows + row};
        WeightBlock recurrence = input;
        recurrence.matrix = static_cast<int>(gates) + place;
        recurrence.operand = 2;
        recurrence.begin = (cell * rows + row) * shape.hidden;
        recurrence.columns = shape.hidden;
        recurrence.bias_begin += rows;
        blocks.push_back(input);
        blocks.push_back(recurrence);
      }
    }
  }
  return blocks;
}

RecurrentDescriptors describe(const Recurrent& shape, const RecurrentCall& call,
                              Precision precision, cudnnRNNAlgo_t algorithm) {
  RecurrentDescriptors descriptors{
      .rnn = make_rnn(),
      .input = make_rnn_data(precision, call.layout, shape.steps, shape.batch, shape.input_size),
      .output = make_rnn_data(precision, call.layout, shape.steps, shape.batch,
                              shape.directions() * shape.hidden),
      .state = make_tensor(call.state)};
  const std::vector<int> sizes = narrow({shape.input_size, shape.hidden, shape.layers});
  // No dropout between layers; states are as wide as the hidden layer (no projection).
  BENANZA_CUDNN(cudnnSetRNNDescriptor_v8, descriptors.rnn.get(), algorithm, call.mode, call.bias,
                call.direction, CUDNN_LINEAR_INPUT, storage_type(precision), CUDNN_DATA_FLOAT,
                math_type(precision), sizes[0], sizes[1], sizes[1], sizes[2], nullptr, call.flags);
  return descriptors;
}

RecurrentDescriptors describe_ready(Library& library, const Recurrent& shape,
                                    const RecurrentCall& call, Precision precision,
                                    cudnnRNNAlgo_t algorithm) {
  RecurrentDescriptors descriptors = describe(shape, call, precision, algorithm);
  if (algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC) {
    BENANZA_CUDNN(cudnnBuildRNNDynamic, library.handle(), descriptors.rnn.get(),
                  narrow({shape.batch}).front());
  }
  return descriptors;
}

RecurrentSpace space_of(Library& library, const RecurrentDescriptors& descriptors,
                        cudnnForwardMode_t mode) {
  std::size_t workspace = 0;
  std::size_t reserve = 0;
  BENANZA_CUDNN(cudnnGetRNNTempSpaceSizes, library.handle(), descriptors.rnn.get(), mode,
                descriptors.input.get(), &workspace, &reserve);
  const RecurrentSpace space{.workspace_bytes = static_cast<std::int64_t>(workspace),
                             .reserve_bytes = static_cast<std::int64_t>(reserve)};
  library.check_workspace(space.workspace_bytes);
  return space;
}

nvidia::DeviceMemory sequence_lengths(const Recurrent& shape, cudaStream_t stream) {
  const std::vector<std::int32_t> lengths(static_cast<std::size_t>(shape.batch),
                                          static_cast<std::int32_t>(shape.steps));
  nvidia::DeviceMemory memory(static_cast<std::int64_t>(lengths.size() * sizeof(std::int32_t)));
  memory.write(std::as_bytes(std::span(lengths)), stream);
  return memory;
}

std::vector<RecurrentAlgorithm> recurrent_algorithms(const Recurrent& shape, Precision precision) {
  map_recurrent(shape, precision);
  return {{"standard", CUDNN_RNN_ALGO_STANDARD},
          {"persist_static", CUDNN_RNN_ALGO_PERSIST_STATIC},
          {"persist_dynamic", CUDNN_RNN_ALGO_PERSIST_DYNAMIC},
          {"persist_static_small_h", CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H}};
}

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
