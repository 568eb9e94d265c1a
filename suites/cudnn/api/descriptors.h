#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/precision.h"
#include "core/problem/text.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

/// Extends one value per axis of a tensor to at least the 4 axes that cuDNN's kernels expect; new
/// axes get `neutral`: c -> 1xcx1x1, nxc -> nxcx1x1, nxcxw -> nxcx1xw. Four axes or more are
/// unchanged. Preserves row-major order.
Dims at_least_4d(const Dims& values, std::int64_t neutral = 1);

/// The same for one value per spatial axis (strides, dilations, ...): w -> 1xw.
Dims at_least_2d(const Dims& values, std::int64_t neutral);

/// The dense tensor of extents at_least_4d(dims).
nvidia::TensorFormat dense(Precision precision, const Dims& dims, Layout layout);

/// Returns nchw and nhwc for tensors of 3 to 5 axes (possible images), plain for all others.
std::vector<Layout> image_layouts(const Dims& dims);

/// A box inside a tensor, starting `offset` elements after the tensor's first element.
struct Part {
  nvidia::TensorFormat format;
  std::int64_t offset = 0;
  std::int64_t offset_bytes() const { return offset * element_bytes(format.precision); }
  bool operator==(const Part&) const = default;
};
Part part_of(const nvidia::TensorFormat& whole, const Dims& begin, const Dims& dims);

using LibraryHandle = nvidia::Handle<cudnnHandle_t, &cudnnDestroy>;
using TensorDescriptor = nvidia::Handle<cudnnTensorDescriptor_t, &cudnnDestroyTensorDescriptor>;
using FilterDescriptor = nvidia::Handle<cudnnFilterDescriptor_t, &cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor =
    nvidia::Handle<cudnnConvolutionDescriptor_t, &cudnnDestroyConvolutionDescriptor>;
using PoolingDescriptor = nvidia::Handle<cudnnPoolingDescriptor_t, &cudnnDestroyPoolingDescriptor>;
using ActivationDescriptor =
    nvidia::Handle<cudnnActivationDescriptor_t, &cudnnDestroyActivationDescriptor>;
using LrnDescriptor = nvidia::Handle<cudnnLRNDescriptor_t, &cudnnDestroyLRNDescriptor>;
using OpTensorDescriptor =
    nvidia::Handle<cudnnOpTensorDescriptor_t, &cudnnDestroyOpTensorDescriptor>;
using ReduceTensorDescriptor =
    nvidia::Handle<cudnnReduceTensorDescriptor_t, &cudnnDestroyReduceTensorDescriptor>;

using DropoutDescriptor = nvidia::Handle<cudnnDropoutDescriptor_t, &cudnnDestroyDropoutDescriptor>;
using RnnDescriptor = nvidia::Handle<cudnnRNNDescriptor_t, &cudnnDestroyRNNDescriptor>;
using RnnDataDescriptor = nvidia::Handle<cudnnRNNDataDescriptor_t, &cudnnDestroyRNNDataDescriptor>;

// Only make_library_handle() needs a GPU. All of these throw what check() throws.
LibraryHandle make_library_handle();
TensorDescriptor make_tensor(const nvidia::TensorFormat& format);
/// Weights of extents filters x channels per group x kernel, in this order for either layout.
FilterDescriptor make_filter(const nvidia::TensorFormat& format, Layout layout);
/// `pads`, `strides` and `dilations` have one value per spatial axis. Accumulates in fp32, for int8
/// in 32-bit integers.
ConvolutionDescriptor make_convolution(const Dims& pads, const Dims& strides, const Dims& dilations,
                                       std::int64_t groups, Precision precision);
PoolingDescriptor make_pooling(cudnnPoolingMode_t mode, const Dims& kernel, const Dims& pads,
                               const Dims& strides);
ActivationDescriptor make_activation(cudnnActivationMode_t mode, double coefficient);
LrnDescriptor make_lrn(std::int64_t size, double alpha, double beta, double k);
OpTensorDescriptor make_op_tensor(cudnnOpTensorOp_t op);
ReduceTensorDescriptor make_reduce_tensor(cudnnReduceTensorOp_t op);
/// For the per-channel vectors of a spatial batch normalization of `input`.
TensorDescriptor make_batch_norm_vectors(const TensorDescriptor& input);

/// Returns a descriptor that is not yet set.
DropoutDescriptor make_dropout();
/// Returns a descriptor that is not yet set.
RnnDescriptor make_rnn();
/// Sequences of `steps` vectors each.
RnnDataDescriptor make_rnn_data(Precision precision, cudnnRNNDataLayout_t layout,
                                std::int64_t steps, std::int64_t batch, std::int64_t size);
/// Not yet set; for functions that fill it in.
TensorDescriptor make_empty_tensor();

/// The storage type of a precision. Throws Unsupported for fp8, which the call-per-layer functions
/// do not support.
cudnnDataType_t storage_type(Precision precision);
/// The same, and e4m3 for fp8: of tensors in operation graphs.
cudnnDataType_t graph_type(Precision precision);

/// The math type for products. fp32 excludes Tensor Cores and TF32.
cudnnMathType_t math_type(Precision precision);

/// Converts to cuDNN's 32-bit values. Throws Unsupported, naming the value, if one is too large.
std::vector<int> narrow(const Dims& values);

}  // namespace benanza::cudnn
