#pragma once

#include <cudnn.h>

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/problem/precision.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/tensor_format.h"

/// The library's graph interface: operations over tensors, for which it offers engines. Nothing
/// here needs a GPU if the target is a described device. Everything throws what check() throws.
namespace benanza::cudnn {

/// An object of the interface: attributes are set, then it is finalized, then used.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type);

  cudnnBackendDescriptor_t get() const { return handle_.get(); }

  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* values);
  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, T value) {
    set(name, type, 1, &value);
    note(name, &value, sizeof value);
  }
  void set(cudnnBackendAttributeName_t name, std::int64_t value);
  void set(cudnnBackendAttributeName_t name, const Dims& values);
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t type);
  void set(cudnnBackendAttributeName_t name, bool value);
  void set(cudnnBackendAttributeName_t name, const Descriptor& value);
  void finalize();

  /// All that was set by value or as another descriptor: equal for equal meanings.
  const std::string& signature() const { return signature_; }

  /// An attribute of one 64-bit number.
  std::int64_t number(cudnnBackendAttributeName_t name) const;
  /// An attribute of many characters.
  std::string text(cudnnBackendAttributeName_t name) const;
  /// How many values of a type the attribute has.
  std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const;
  /// Reads descriptors into those of `values`, made before; returns how many there are.
  std::int64_t read(cudnnBackendAttributeName_t name, std::vector<Descriptor>& values) const;

 private:
  void note(cudnnBackendAttributeName_t name, const void* bytes, std::size_t size);

  nvidia::Handle<cudnnBackendDescriptor_t, &cudnnBackendDestroyDescriptor> handle_;
  std::string signature_;
};

/// The target of engines: a GPU by its handle, or a device by its description (the JSON text
/// that the library itself writes).
class Target {
 public:
  explicit Target(cudnnHandle_t handle) : handle_(handle) {}
  explicit Target(const std::string& device_description);

  cudnnHandle_t handle() const { return handle_; }
  /// Tells `descriptor` of the described device; nothing for a GPU.
  void describe(Descriptor& descriptor, cudnnBackendAttributeName_t name) const;

 private:
  cudnnHandle_t handle_ = nullptr;
  std::deque<Descriptor> device_;
};

struct Pointwise {
  cudnnPointwiseMode_t mode;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  /// Of an index.
  std::optional<std::int64_t> axis = std::nullopt;
  std::optional<double> swish_beta = std::nullopt;
  std::optional<double> elu_alpha = std::nullopt;
  /// Of relu: min(max(x, lower), upper), and `slope` times x below `lower`.
  std::optional<double> lower = std::nullopt;
  std::optional<double> upper = std::nullopt;
  std::optional<double> slope = std::nullopt;
};

/// How a filter slides: one value per spatial axis. `begin` and `end` are the pads.
struct ConvolutionWindow {
  Dims begin;
  Dims end;
  Dims strides;
  Dims dilations;
};

/// Tensors and operations in the making. Tensors are numbered from 0 in the order of their making.
class OperationGraph {
 public:
  using Id = std::int64_t;
  static constexpr Id none = -1;
  /// What the library calls a tensor. Engines of normalizations (9.14) take a tensor of number 0
  /// for one that is missing, and refuse to run.
  static constexpr std::int64_t unique_id(Id id) { return id + 1; }

  OperationGraph() = default;
  OperationGraph(OperationGraph&&) = default;
  OperationGraph& operator=(OperationGraph&&) = default;
  OperationGraph(const OperationGraph&) = delete;
  OperationGraph& operator=(const OperationGraph&) = delete;

  Id tensor(const nvidia::TensorFormat& format);
  /// Dense, never in memory.
  Id intermediate(const Dims& dims, cudnnDataType_t type = CUDNN_DATA_FLOAT);
  /// Ordered as `format` is, never in memory.
  Id intermediate(const nvidia::TensorFormat& format, cudnnDataType_t type = CUDNN_DATA_FLOAT);
  /// fp32, given on the host with every run.
  Id scalar(float value, std::size_t rank);
  /// In memory, every element the same, written once.
  Id filled(const nvidia::TensorFormat& format, float value);

  const Descriptor& at(Id id) const { return tensors_[static_cast<std::size_t>(id)]; }
  /// The caller sets the attributes; finish() finalizes.
  Descriptor& add(cudnnBackendDescriptorType_t operation);
  /// A function of the elements of one, two or three tensors: `none` where there are fewer.
  void pointwise(const Pointwise& function, Id x, Id b, Id y, Id t = none);
  /// dx = dy times the derivative of a function (CUDNN_POINTWISE_..._BWD) at x.
  void pointwise_gradient(const Pointwise& function, Id x, Id dy, Id dx);
  void reduce(cudnnReduceTensorOp_t op, Id x, Id y);
  void multiply(Id a, Id b, Id c);
  /// Cross-correlation, summed in fp32. Groups: as many as x has times the channels of w.
  void convolve(const ConvolutionWindow& window, Id x, Id w, Id y);
  /// The transposed one: y is what convolve() would map to x.
  void convolve_transposed(const ConvolutionWindow& window, Id x, Id w, Id y);
  /// The gradient of convolve()'s weights, by its input and the gradient of its result.
  void filter_gradient(const ConvolutionWindow& window, Id x, Id dy, Id dw);
  void finish(const Target& target);
  /// Equal for graphs that differ in the values of scalars and constants at most.
  std::string signature() const;

  struct Scalar {
    Id id;
    float value;
  };
  struct Filled {
    Id id;
    nvidia::TensorFormat format;
    float value;
  };
  const std::deque<Scalar>& scalars() const { return scalars_; }
  const std::vector<Filled>& constants() const { return filled_; }
  const Descriptor& graph() const { return graph_.back(); }
  /// Products that may be summed on Tensor Cores.
  bool has_products() const { return has_products_; }
  /// Functions of every element and nothing else.
  bool is_elementwise() const { return is_elementwise_; }

 private:
  const Descriptor& add_function(const Pointwise& function);
  /// What the attributes of one direction of a convolution are called.
  struct ConvolutionNames {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t window;
    std::array<cudnnBackendAttributeName_t, 3> tensors;
    cudnnBackendAttributeName_t alpha;
    cudnnBackendAttributeName_t beta;
  };
  void add_convolution(const ConvolutionNames& names, const ConvolutionWindow& window,
                       const std::array<Id, 3>& tensors);
  const Descriptor& add_window(const ConvolutionWindow& window);
  Id make(cudnnDataType_t type, const Dims& dims, const Dims& strides, bool is_virtual,
          bool by_value);

  std::deque<Descriptor> tensors_;
  /// Functions that operations refer to.
  std::deque<Descriptor> functions_;
  std::deque<Descriptor> operations_;
  std::deque<Scalar> scalars_;
  std::vector<Filled> filled_;
  std::deque<Descriptor> graph_;
  bool has_products_ = false;
  bool is_elementwise_ = true;
};

}  // namespace benanza::cudnn
