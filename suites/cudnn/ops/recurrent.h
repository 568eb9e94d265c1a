#pragma once

#include <cudnn.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "core/problem/problem.h"
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
  /// Extents in the problem's order; the library stores both directions of a step together.
  nvidia::TensorFormat output;
  /// (layers D) x batch x hidden.
  nvidia::TensorFormat state;
};

/// Throws Unsupported for networks that cuDNN has no call for: the reverse direction alone, and a
/// GRU whose reset gate acts before the recurrent product.
RecurrentCall map_recurrent(const Recurrent& shape, Precision precision);

/// What changes with each inference: the sequence and, if they are given, the initial states.
std::vector<nvidia::TensorFormat> recurrent_data(const Recurrent& shape, const RecurrentCall& call);

/// The place of the problem's operand `index` among those that change, which are all but weights
/// and bias; empty for these.
std::optional<std::size_t> recurrent_data_index(const Recurrent& shape, std::size_t index);

/// The problem's operands that have a place there.
std::vector<std::size_t> recurrent_data_operands(const Problem& problem, const Recurrent& shape);

/// The results in the order of Recurrent::results(): the sequence and, if requested, the last h and
/// an lstm's last c.
std::vector<nvidia::TensorFormat> recurrent_results(const Recurrent& shape,
                                                    const RecurrentCall& call);

/// A matrix of the library (of one gate, layer and direction) and the part of the problem's
/// operands that it corresponds to. Rows of weights and elements of biases are the gate's hidden
/// units.
struct WeightBlock {
  /// layer * D + direction.
  int pseudo_layer = 0;
  /// The library's index of the matrix: the input's gates, then the recurrence's.
  int matrix = 0;
  /// 1: weights, 2: recurrence.
  std::size_t operand = 1;
  std::int64_t begin = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// Offset in the bias operand.
  std::int64_t bias_begin = 0;
  bool operator==(const WeightBlock&) const = default;
};
/// Returns every matrix of the network. LSTM's gates are iofc in ONNX and ifco in cuDNN, GRU's zrh
/// and rzh.
std::vector<WeightBlock> weight_blocks(const Recurrent& shape);

struct RecurrentDescriptors {
  RnnDescriptor rnn;
  RnnDataDescriptor input;
  RnnDataDescriptor output;
  TensorDescriptor state;
};
RecurrentDescriptors describe(const Recurrent& shape, const RecurrentCall& call,
                              Precision precision, cudnnRNNAlgo_t algorithm);

/// The same, built for the batch size if necessary.
RecurrentDescriptors describe_ready(Library& library, const Recurrent& shape,
                                    const RecurrentCall& call, Precision precision,
                                    cudnnRNNAlgo_t algorithm);

/// A call's memory besides its tensors.
struct RecurrentSpace {
  std::int64_t workspace_bytes = 0;
  /// The reserve space, from the forward call to the gradients' calls in training.
  std::int64_t reserve_bytes = 0;
};
/// Throws std::runtime_error if the user allows a smaller workspace only.
RecurrentSpace space_of(Library& library, const RecurrentDescriptors& descriptors,
                        cudnnForwardMode_t mode);
/// The library's device array of sequence lengths; every sequence has all steps.
nvidia::DeviceMemory sequence_lengths(const Recurrent& shape, cudaStream_t stream);

struct RecurrentAlgorithm {
  std::string_view name;
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
};
/// All algorithms: "standard", "persist_static", "persist_dynamic", "persist_static_small_h";
/// setting up a call reports unsupported ones. Throws Unsupported as map_recurrent() does.
std::vector<RecurrentAlgorithm> recurrent_algorithms(const Recurrent& shape, Precision precision);

/// The library's weight space, of weights or of their gradients: its size and the position of each
/// matrix and bias.
class WeightSpace {
 public:
  WeightSpace(Library& library, const RecurrentDescriptors& descriptors, const Recurrent& shape,
              Precision precision);

  /// `operand` is 1 for weights, 2 for recurrence, 3 for the bias of a network that has one.
  void upload(std::size_t operand, std::span<const float> values, cudaStream_t stream);
  /// Fills the space with zeros.
  void clear(cudaStream_t stream);
  /// Returns the operands of upload(), concatenated.
  std::vector<float> download(cudaStream_t stream) const;

  std::byte* data() const { return memory_.data(); }
  std::size_t size_bytes() const { return image_.size(); }

 private:
  /// Byte offsets of a matrix and its bias from the start of the space.
  struct PlacedBlock {
    WeightBlock block;
    std::int64_t matrix = 0;
    std::int64_t bias = 0;
  };

  PlacedBlock place(Library& library, const RecurrentDescriptors& descriptors,
                    const WeightBlock& block) const;
  std::int64_t offset(const void* address, std::int64_t elements) const;
  void put(std::span<const float> values, std::int64_t begin, std::int64_t count,
           std::int64_t target);

  Precision precision_;
  bool has_bias_;
  /// The numbers of elements of weights, recurrence and bias.
  std::vector<std::int64_t> lengths_;
  nvidia::DeviceMemory memory_;
  std::vector<std::byte> image_;
  std::vector<PlacedBlock> blocks_;
};

}  // namespace benanza::cudnn
