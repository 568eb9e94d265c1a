#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "suites/cudnn/ops/recurrent/recurrent.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {

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
