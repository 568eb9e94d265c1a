#pragma once

#include <cudnn.h>

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/problem/precision.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/tensor_format.h"

/// Wrappers of cuDNN's graph (backend) API: operation graphs, for which the library offers engines.
/// Nothing here needs a GPU if the target is a described device. Everything throws what check()
/// throws.
namespace benanza::cudnn {

/// A backend descriptor: set its attributes, finalize it, then use it.
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
  /// 32-bit numbers.
  void set_extents(cudnnBackendAttributeName_t name, const std::vector<std::int32_t>& values);
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t type);
  void set(cudnnBackendAttributeName_t name, bool value);
  void set(cudnnBackendAttributeName_t name, const Descriptor& value);
  void finalize();

  /// Everything set by value or as another descriptor; equal for equivalent descriptors.
  const std::string& signature() const { return signature_; }

  /// Reads one 64-bit number.
  std::int64_t number(cudnnBackendAttributeName_t name) const;
  /// Reads a string.
  std::string text(cudnnBackendAttributeName_t name) const;
  /// The number of values of the attribute.
  std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const;
  /// Reads descriptors into those that the caller has created in `values`; returns their number.
  std::int64_t read(cudnnBackendAttributeName_t name, std::vector<Descriptor>& values) const;

 private:
  void note(cudnnBackendAttributeName_t name, const void* bytes, std::size_t size);

  nvidia::Handle<cudnnBackendDescriptor_t, &cudnnBackendDestroyDescriptor> handle_;
  std::string signature_;
};

/// The device that engines are for: a GPU, by its handle, or a described device (the JSON text that
/// the library itself writes).
class Target {
 public:
  explicit Target(cudnnHandle_t handle) : handle_(handle) {}
  explicit Target(const std::string& device_description);

  cudnnHandle_t handle() const { return handle_; }
  /// Sets the described device in `descriptor`; does nothing for a GPU.
  void describe(Descriptor& descriptor, cudnnBackendAttributeName_t name) const;

 private:
  cudnnHandle_t handle_ = nullptr;
  std::deque<Descriptor> device_;
};

struct Pointwise {
  cudnnPointwiseMode_t mode;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  /// Only for GEN_INDEX.
  std::optional<std::int64_t> axis = std::nullopt;
  std::optional<double> swish_beta = std::nullopt;
  std::optional<double> elu_alpha = std::nullopt;
  /// Only for relu: min(max(x, lower), upper), and `slope` times x below `lower`.
  std::optional<double> lower = std::nullopt;
  std::optional<double> upper = std::nullopt;
  std::optional<double> slope = std::nullopt;
};

/// A convolution's window, one value per spatial axis. `begin` and `end` are the pads.
struct ConvolutionWindow {
  Dims begin;
  Dims end;
  Dims strides;
  Dims dilations;
};

/// An operation graph under construction. Tensors are numbered from 0 in order of creation.
class OperationGraph {
 public:
  using Id = std::int64_t;
  static constexpr Id none = -1;
  /// The tensor's UID. Normalization engines (9.14) treat UID 0 as a missing tensor and refuse to
  /// run.
  static constexpr std::int64_t unique_id(Id id) { return id + 1; }

  OperationGraph() = default;
  OperationGraph(OperationGraph&&) = default;
  OperationGraph& operator=(OperationGraph&&) = default;
  OperationGraph(const OperationGraph&) = delete;
  OperationGraph& operator=(const OperationGraph&) = delete;

  Id tensor(const nvidia::TensorFormat& format);
  /// Of a type that call-per-layer functions do not take.
  Id tensor(const nvidia::TensorFormat& format, cudnnDataType_t type);
  /// Begins inside of an operand, at a multiple of `alignment_bytes`: a power of 2, and at least an
  /// element. All others are aligned to 16 bytes.
  Id part(const nvidia::TensorFormat& format, std::int64_t alignment_bytes);
  /// Dense and virtual (never in memory).
  Id intermediate(const Dims& dims, cudnnDataType_t type = CUDNN_DATA_FLOAT);
  /// Virtual, with the strides of `format`.
  Id intermediate(const nvidia::TensorFormat& format, cudnnDataType_t type = CUDNN_DATA_FLOAT);
  /// fp32, passed from the host at every execution.
  Id scalar(float value, std::size_t rank);
  /// The same of an int32.
  Id integer(std::int32_t value, std::size_t rank);
  /// In memory, all elements `value`, written once.
  Id filled(const nvidia::TensorFormat& format, float value);
  /// The same of several values, which follow each other from the first element to the last, again
  /// and again. Their number divides the tensor's elements.
  Id repeated(const nvidia::TensorFormat& format, std::vector<float> values);
  /// The same of int32 numbers, a row-major tensor of extents `dims`.
  Id integers(std::vector<std::int32_t> values, const Dims& dims);

  const Descriptor& at(Id id) const { return tensors_[static_cast<std::size_t>(id)]; }
  /// The caller sets the attributes; finish() finalizes the operation.
  Descriptor& add(cudnnBackendDescriptorType_t operation);
  /// Adds an elementwise function of one, two or three tensors; `none` for absent ones.
  void pointwise(const Pointwise& function, Id x, Id b, Id y, Id t = none);
  /// Adds dx = dy times the derivative of a function (CUDNN_POINTWISE_..._BWD) at x.
  void pointwise_gradient(const Pointwise& function, Id x, Id dy, Id dx);
  void reduce(cudnnReduceTensorOp_t op, Id x, Id y);
  void multiply(Id a, Id b, Id c);
  /// Adds products of groups of rows: rows from begins[g] up to the next group's of x, 1 x rows x
  /// k, times matrix g of w, groups x k x n. `begins` has int32 numbers. Throws Unsupported before
  /// 9.15, which lacks it.
  void multiply_groups(Id x, Id w, Id begins, Id y);
  /// Adds y = x * scale, each scale for `block` elements of x, an extent for each axis: computed in
  /// the type `computed`. Throws what check() throws before 9.7, which lacks it.
  void dequantize(Id x, Id scale, Id y, const Dims& block, cudnnDataType_t computed);
  /// Adds y as x with other extents or axes in another order; their types may differ.
  void reshape(Id x, Id y);
  /// Adds a cross-correlation accumulated in fp32. Groups: x's channels divided by w's.
  void convolve(const ConvolutionWindow& window, Id x, Id w, Id y);
  /// Adds the transposed convolution: convolve() would map y's extents to those of x.
  void convolve_transposed(const ConvolutionWindow& window, Id x, Id w, Id y);
  /// Adds the gradient of convolve()'s weights, from its input and its output's gradient.
  void filter_gradient(const ConvolutionWindow& window, Id x, Id dy, Id dw);
  void finish(const Target& target);
  /// Equal for graphs that differ at most in the values of scalars and constants.
  std::string signature() const;

  struct Scalar {
    Id id;
    std::variant<float, std::int32_t> value;
  };
  struct Filled {
    Id id;
    nvidia::TensorFormat format;
    std::vector<float> values;
    /// Instead of `values`.
    std::vector<std::int32_t> integers = {};

    std::vector<float> elements() const;
    /// As in memory.
    std::vector<std::byte> bytes() const;
  };
  const std::deque<Scalar>& scalars() const { return scalars_; }
  const std::vector<Filled>& constants() const { return filled_; }
  const Descriptor& graph() const { return graph_.back(); }
  /// Whether there are products (candidates for Tensor Cores).
  bool has_products() const { return has_products_; }
  /// Whether all operations are pointwise.
  bool is_elementwise() const { return is_elementwise_; }

 private:
  const Descriptor& add_function(const Pointwise& function);
  /// The attribute names of one direction of a convolution.
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
          bool by_value, std::int64_t alignment_bytes = 16);

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
