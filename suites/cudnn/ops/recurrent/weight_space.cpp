#include "suites/cudnn/ops/recurrent/weight_space.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "suites/cudnn/api/status.h"
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

}  // namespace benanza::cudnn
