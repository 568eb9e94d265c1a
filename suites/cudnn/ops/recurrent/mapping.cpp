#include <span>
#include <stdexcept>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/ops/recurrent/recurrent.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
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

}  // namespace benanza::cudnn
