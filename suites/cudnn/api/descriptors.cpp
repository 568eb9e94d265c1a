#include "suites/cudnn/api/descriptors.h"

#include <limits>

#include "suites/cudnn/api/status.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

Dims at_least_4d(const Dims& values, std::int64_t neutral) {
  switch (values.size()) {
    case 0:
      return {neutral, neutral, neutral, neutral};
    case 1:
      return {neutral, values[0], neutral, neutral};
    case 2:
      return {values[0], values[1], neutral, neutral};
    case 3:
      return {values[0], values[1], neutral, values[2]};
    default:
      return values;
  }
}

Dims at_least_2d(const Dims& values, std::int64_t neutral) {
  return values.size() == 1 ? Dims{neutral, values[0]} : values;
}

nvidia::TensorFormat dense(Precision precision, const Dims& dims, Layout layout) {
  return nvidia::tensor_format(precision, at_least_4d(dims), layout);
}

std::vector<Layout> image_layouts(const Dims& dims) {
  if (dims.size() < 3 || dims.size() > 5) return {Layout::plain};
  return {Layout::nchw, Layout::nhwc};
}

Part part_of(const nvidia::TensorFormat& whole, const Dims& begin, const Dims& dims) {
  Part part{.format = whole};
  part.format.dims = dims;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    part.offset += begin[axis] * whole.strides[axis];
  }
  return part;
}

namespace {

template <class Owner>
Owner create(cudnnStatus_t (*make)(typename Owner::pointer*), std::string_view call) {
  typename Owner::pointer raw = nullptr;
  check(make(&raw), call);
  return Owner(raw);
}

int rank(const Dims& values) { return static_cast<int>(values.size()); }

}  // namespace

LibraryHandle make_library_handle() { return create<LibraryHandle>(&cudnnCreate, "cudnnCreate"); }

TensorDescriptor make_tensor(const nvidia::TensorFormat& format) {
  auto tensor = make_empty_tensor();
  BENANZA_CUDNN(cudnnSetTensorNdDescriptor, tensor.get(), storage_type(format.precision),
                rank(format.dims), narrow(format.dims).data(), narrow(format.strides).data());
  return tensor;
}

FilterDescriptor make_filter(const nvidia::TensorFormat& format, Layout layout) {
  auto filter =
      create<FilterDescriptor>(&cudnnCreateFilterDescriptor, "cudnnCreateFilterDescriptor");
  BENANZA_CUDNN(cudnnSetFilterNdDescriptor, filter.get(), storage_type(format.precision),
                layout == Layout::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, rank(format.dims),
                narrow(format.dims).data());
  return filter;
}

ConvolutionDescriptor make_convolution(const Dims& pads, const Dims& strides, const Dims& dilations,
                                       std::int64_t groups, Precision precision) {
  auto convolution = create<ConvolutionDescriptor>(&cudnnCreateConvolutionDescriptor,
                                                   "cudnnCreateConvolutionDescriptor");
  BENANZA_CUDNN(cudnnSetConvolutionNdDescriptor, convolution.get(), rank(pads), narrow(pads).data(),
                narrow(strides).data(), narrow(dilations).data(), CUDNN_CROSS_CORRELATION,
                precision == Precision::int8 ? CUDNN_DATA_INT32 : CUDNN_DATA_FLOAT);
  BENANZA_CUDNN(cudnnSetConvolutionGroupCount, convolution.get(), narrow({groups}).front());
  BENANZA_CUDNN(cudnnSetConvolutionMathType, convolution.get(), math_type(precision));
  return convolution;
}

PoolingDescriptor make_pooling(cudnnPoolingMode_t mode, const Dims& kernel, const Dims& pads,
                               const Dims& strides) {
  auto pooling =
      create<PoolingDescriptor>(&cudnnCreatePoolingDescriptor, "cudnnCreatePoolingDescriptor");
  BENANZA_CUDNN(cudnnSetPoolingNdDescriptor, pooling.get(), mode, CUDNN_PROPAGATE_NAN, rank(kernel),
                narrow(kernel).data(), narrow(pads).data(), narrow(strides).data());
  return pooling;
}

ActivationDescriptor make_activation(cudnnActivationMode_t mode, double coefficient) {
  auto activation = create<ActivationDescriptor>(&cudnnCreateActivationDescriptor,
                                                 "cudnnCreateActivationDescriptor");
  BENANZA_CUDNN(cudnnSetActivationDescriptor, activation.get(), mode, CUDNN_PROPAGATE_NAN,
                coefficient);
  if (mode == CUDNN_ACTIVATION_SWISH) {
    BENANZA_CUDNN(cudnnSetActivationDescriptorSwishBeta, activation.get(), coefficient);
  }
  return activation;
}

LrnDescriptor make_lrn(std::int64_t size, double alpha, double beta, double k) {
  auto lrn = create<LrnDescriptor>(&cudnnCreateLRNDescriptor, "cudnnCreateLRNDescriptor");
  BENANZA_CUDNN(cudnnSetLRNDescriptor, lrn.get(), static_cast<unsigned>(narrow({size}).front()),
                alpha, beta, k);
  return lrn;
}

OpTensorDescriptor make_op_tensor(cudnnOpTensorOp_t op) {
  auto descriptor =
      create<OpTensorDescriptor>(&cudnnCreateOpTensorDescriptor, "cudnnCreateOpTensorDescriptor");
  BENANZA_CUDNN(cudnnSetOpTensorDescriptor, descriptor.get(), op, CUDNN_DATA_FLOAT,
                CUDNN_PROPAGATE_NAN);
  return descriptor;
}

ReduceTensorDescriptor make_reduce_tensor(cudnnReduceTensorOp_t op) {
  auto descriptor = create<ReduceTensorDescriptor>(&cudnnCreateReduceTensorDescriptor,
                                                   "cudnnCreateReduceTensorDescriptor");
  BENANZA_CUDNN(cudnnSetReduceTensorDescriptor, descriptor.get(), op, CUDNN_DATA_FLOAT,
                CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES);
  return descriptor;
}

TensorDescriptor make_batch_norm_vectors(const TensorDescriptor& input) {
  auto vectors = make_empty_tensor();
  BENANZA_CUDNN(cudnnDeriveBNTensorDescriptor, vectors.get(), input.get(), CUDNN_BATCHNORM_SPATIAL);
  return vectors;
}

DropoutDescriptor make_dropout() {
  return create<DropoutDescriptor>(&cudnnCreateDropoutDescriptor, "cudnnCreateDropoutDescriptor");
}

RnnDescriptor make_rnn() {
  return create<RnnDescriptor>(&cudnnCreateRNNDescriptor, "cudnnCreateRNNDescriptor");
}

RnnDataDescriptor make_rnn_data(Precision precision, cudnnRNNDataLayout_t layout,
                                std::int64_t steps, std::int64_t batch, std::int64_t size) {
  auto data =
      create<RnnDataDescriptor>(&cudnnCreateRNNDataDescriptor, "cudnnCreateRNNDataDescriptor");
  const std::vector<int> sizes = narrow({steps, batch, size});
  const std::vector<int> lengths(static_cast<std::size_t>(batch), sizes[0]);
  BENANZA_CUDNN(cudnnSetRNNDataDescriptor, data.get(), storage_type(precision), layout, sizes[0],
                sizes[1], sizes[2], lengths.data(), nullptr);
  return data;
}

TensorDescriptor make_empty_tensor() {
  return create<TensorDescriptor>(&cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor");
}

cudnnDataType_t storage_type(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return CUDNN_DATA_FLOAT;
    case Precision::fp16:
      return CUDNN_DATA_HALF;
    case Precision::bf16:
      return CUDNN_DATA_BFLOAT16;
    case Precision::int8:
      return CUDNN_DATA_INT8;
    case Precision::fp8:
      break;
  }
  throw harness::Unsupported("cuDNN's call-per-layer functions take no fp8");
}

cudnnDataType_t graph_type(Precision precision) {
  return precision == Precision::fp8 ? CUDNN_DATA_FP8_E4M3 : storage_type(precision);
}

cudnnMathType_t math_type(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return CUDNN_FMA_MATH;
    case Precision::tf32:
      return CUDNN_DEFAULT_MATH;  // fp32 tensors: TF32 products if the GPU supports them
    default:
      return CUDNN_TENSOR_OP_MATH;
  }
}

std::vector<int> narrow(const Dims& values) {
  std::vector<int> narrowed;
  for (const std::int64_t value : values) {
    if (value > std::numeric_limits<int>::max()) {
      throw harness::Unsupported("cuDNN's descriptors hold 32-bit values, " +
                                 std::to_string(value) + " is larger");
    }
    narrowed.push_back(static_cast<int>(value));
  }
  return narrowed;
}

}  // namespace benanza::cudnn
