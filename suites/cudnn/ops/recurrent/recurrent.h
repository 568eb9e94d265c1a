#pragma once

#include <cudnn.h>

#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {

/// A recurrent network in cuDNN's terms.
struct RecurrentCall {
  cudnnRNNMode_t mode = CUDNN_LSTM;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  std::uint32_t flags = CUDNN_RNN_PADDED_IO_DISABLED;
  nvidia::TensorFormat input;
  /// Dims in the problem's order; the library keeps both directions of a step together.
  nvidia::TensorFormat output;
  /// (layers D) x batch x hidden.
  nvidia::TensorFormat state;
};

/// Throws Unsupported for what cuDNN has no call for: the reverse direction alone, and a GRU whose
/// reset gate acts before the recurrent product.
RecurrentCall map_recurrent(const Recurrent& shape, Precision precision);

/// The sequence and, where they are wanted, the last h and an lstm's last c: in the order of
/// Recurrent::results().
std::vector<nvidia::TensorFormat> recurrent_results(const Recurrent& shape,
                                                    const RecurrentCall& call);

/// Where the library keeps a matrix (of one gate, layer and direction), and which part of our
/// operands it is. Rows of weights and elements of biases are the gate's hidden units.
struct WeightBlock {
  /// layer * D + direction.
  int pseudo_layer = 0;
  /// The library's number of the matrix: gates of the input, then of the recurrence.
  int matrix = 0;
  /// 1: weights, 2: recurrence.
  std::size_t operand = 1;
  std::int64_t begin = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// In the bias operand.
  std::int64_t bias_begin = 0;
  bool operator==(const WeightBlock&) const = default;
};
/// Every matrix of the network: LSTM's gates are iofc in ONNX and ifco in cuDNN, GRU's zrh and rzh.
std::vector<WeightBlock> weight_blocks(const Recurrent& shape);

/// The descriptors of the call.
struct RecurrentDescriptors {
  RnnDescriptor rnn;
  RnnDataDescriptor input;
  RnnDataDescriptor output;
  TensorDescriptor state;
};
RecurrentDescriptors describe(const Recurrent& shape, const RecurrentCall& call,
                              Precision precision, cudnnRNNAlgo_t algorithm);

/// The same for a variant's algorithm, with what that has to be built for.
RecurrentDescriptors describe_ready(Library& library, const Recurrent& shape,
                                    const RecurrentCall& call, const harness::Variant& variant);

/// What a call needs beside its tensors.
struct RecurrentSpace {
  std::int64_t workspace_bytes = 0;
  /// Of training: what goes from the forward call to those of the gradients.
  std::int64_t reserve_bytes = 0;
};
/// Throws std::runtime_error if the user allows less workspace.
RecurrentSpace space_of(Library& library, const RecurrentDescriptors& descriptors,
                        cudnnForwardMode_t mode);
/// As the library wants them on the device: every sequence has all steps.
nvidia::DeviceMemory sequence_lengths(const Recurrent& shape, cudaStream_t stream);

/// All, by name: what one cannot do, the library says when it is set up. Throws Unsupported as
/// map_recurrent() does.
std::vector<harness::Algorithm> recurrent_algorithms(const Recurrent& shape, Precision precision);
/// "standard", "persist_static", "persist_dynamic", "persist_static_small_h".
std::string_view to_string(cudnnRNNAlgo_t algorithm);
/// Throws std::invalid_argument naming `name`.
cudnnRNNAlgo_t parse_recurrent_algorithm(std::string_view name);

}  // namespace benanza::cudnn
