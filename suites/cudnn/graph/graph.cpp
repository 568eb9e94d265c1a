#include "suites/cudnn/graph/graph.h"

#include <span>
#include <string>
#include <utility>

#include "core/problem/problem.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  BENANZA_CUDNN(cudnnBackendCreateDescriptor, type, &made);
  handle_.reset(made);
}

void Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t count, const void* values) {
  BENANZA_CUDNN(cudnnBackendSetAttribute, get(), name, type, count, values);
}

void Descriptor::note(cudnnBackendAttributeName_t name, const void* bytes, std::size_t size) {
  signature_ += std::to_string(name) + ':';
  signature_.append(static_cast<const char*>(bytes), size);
}

void Descriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
  set(name, CUDNN_TYPE_INT64, value);
}

void Descriptor::set(cudnnBackendAttributeName_t name, const Dims& values) {
  set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
  note(name, values.data(), values.size() * sizeof(Dims::value_type));
}

void Descriptor::set_extents(cudnnBackendAttributeName_t name,
                             const std::vector<std::int32_t>& values) {
  set(name, CUDNN_TYPE_INT32, static_cast<std::int64_t>(values.size()), values.data());
  note(name, values.data(), values.size() * sizeof(std::int32_t));
}

void Descriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t type) {
  set(name, CUDNN_TYPE_DATA_TYPE, type);
}

void Descriptor::set(cudnnBackendAttributeName_t name, bool value) {
  set(name, CUDNN_TYPE_BOOLEAN, value);
}

void Descriptor::set(cudnnBackendAttributeName_t name, const Descriptor& value) {
  const cudnnBackendDescriptor_t handle = value.get();
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &handle);
  note(name, value.signature().data(), value.signature().size());
}

void Descriptor::finalize() { BENANZA_CUDNN(cudnnBackendFinalize, get()); }

std::int64_t Descriptor::number(cudnnBackendAttributeName_t name) const {
  std::int64_t value = 0;
  std::int64_t found = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, get(), name, CUDNN_TYPE_INT64, 1, &found, &value);
  return value;
}

std::string Descriptor::text(cudnnBackendAttributeName_t name) const {
  std::string text(static_cast<std::size_t>(count(name, CUDNN_TYPE_CHAR)), '\0');
  std::int64_t found = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, get(), name, CUDNN_TYPE_CHAR,
                static_cast<std::int64_t>(text.size()), &found, text.data());
  text.resize(static_cast<std::size_t>(found));
  return text;
}

std::int64_t Descriptor::count(cudnnBackendAttributeName_t name,
                               cudnnBackendAttributeType_t type) const {
  std::int64_t found = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, get(), name, type, 0, &found, nullptr);
  return found;
}

std::int64_t Descriptor::read(cudnnBackendAttributeName_t name,
                              std::vector<Descriptor>& values) const {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const Descriptor& value : values) handles.push_back(value.get());
  std::int64_t found = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                static_cast<std::int64_t>(handles.size()), &found, handles.data());
  return found;
}

Target::Target(const std::string& device_description) {
  Descriptor& device = device_.emplace_back(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  device.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             static_cast<std::int64_t>(device_description.size()), device_description.data());
  device.finalize();
}

void Target::describe(Descriptor& descriptor, cudnnBackendAttributeName_t name) const {
  if (!device_.empty()) descriptor.set(name, device_.front());
}

OperationGraph::Id OperationGraph::make(cudnnDataType_t type, const Dims& dims, const Dims& strides,
                                        bool is_virtual, bool by_value,
                                        std::int64_t alignment_bytes) {
  const auto id = static_cast<Id>(tensors_.size());
  Descriptor& made = tensors_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
  made.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, unique_id(id));
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment_bytes);
  made.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual);
  made.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, by_value);
  made.finalize();
  return id;
}

OperationGraph::Id OperationGraph::tensor(const nvidia::TensorFormat& format) {
  return tensor(format, storage_type(format.precision));
}

OperationGraph::Id OperationGraph::tensor(const nvidia::TensorFormat& format,
                                          cudnnDataType_t type) {
  return make(type, format.dims, format.strides, false, false);
}

OperationGraph::Id OperationGraph::part(const nvidia::TensorFormat& format,
                                        std::int64_t alignment_bytes) {
  return make(storage_type(format.precision), format.dims, format.strides, false, false,
              alignment_bytes);
}

OperationGraph::Id OperationGraph::intermediate(const Dims& dims, cudnnDataType_t type) {
  return make(type, dims, dense_strides(dims), true, false);
}

OperationGraph::Id OperationGraph::intermediate(const nvidia::TensorFormat& format,
                                                cudnnDataType_t type) {
  return make(type, format.dims, format.strides, true, false);
}

OperationGraph::Id OperationGraph::scalar(float value, std::size_t rank) {
  const Dims ones(rank, 1);
  const Id id = make(CUDNN_DATA_FLOAT, ones, ones, false, true);
  scalars_.push_back({id, value});
  return id;
}

OperationGraph::Id OperationGraph::integer(std::int32_t value, std::size_t rank) {
  const Dims ones(rank, 1);
  const Id id = make(CUDNN_DATA_INT32, ones, ones, false, true);
  scalars_.push_back({id, value});
  return id;
}

OperationGraph::Id OperationGraph::filled(const nvidia::TensorFormat& format, float value) {
  return repeated(format, {value});
}

OperationGraph::Id OperationGraph::repeated(const nvidia::TensorFormat& format,
                                            std::vector<float> values) {
  const Id id = tensor(format, graph_type(format.precision));
  filled_.push_back({id, format, std::move(values)});
  return id;
}

OperationGraph::Id OperationGraph::integers(std::vector<std::int32_t> values, const Dims& dims) {
  const nvidia::TensorFormat format{Precision::fp32, dims, dense_strides(dims)};
  const Id id = tensor(format, CUDNN_DATA_INT32);
  filled_.push_back({id, format, {}, std::move(values)});
  return id;
}

std::vector<std::byte> OperationGraph::Filled::bytes() const {
  if (integers.empty()) return nvidia::to_storage(elements(), format);
  const auto stored = std::as_bytes(std::span(integers));
  return {stored.begin(), stored.end()};
}

std::vector<float> OperationGraph::Filled::elements() const {
  std::vector<float> made(static_cast<std::size_t>(element_count(format.dims)));
  for (std::size_t index = 0; index < made.size(); ++index) {
    made[index] = values[index % values.size()];
  }
  return made;
}

Descriptor& OperationGraph::add(cudnnBackendDescriptorType_t operation) {
  if (operation == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR ||
      operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
      operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
      operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR ||
      operation == CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR) {
    has_products_ = true;
  }
  if (operation != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) is_elementwise_ = false;
  return operations_.emplace_back(operation);
}

const Descriptor& OperationGraph::add_function(const Pointwise& function) {
  Descriptor& made = functions_.emplace_back(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  made.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, function.mode);
  made.set(CUDNN_ATTR_POINTWISE_MATH_PREC, function.compute_type);
  if (function.axis) made.set(CUDNN_ATTR_POINTWISE_AXIS, *function.axis);
  const auto set_if = [&](cudnnBackendAttributeName_t name, const std::optional<double>& value) {
    if (value) made.set(name, CUDNN_TYPE_DOUBLE, *value);
  };
  set_if(CUDNN_ATTR_POINTWISE_SWISH_BETA, function.swish_beta);
  set_if(CUDNN_ATTR_POINTWISE_ELU_ALPHA, function.elu_alpha);
  set_if(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, function.lower);
  set_if(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, function.upper);
  set_if(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, function.slope);
  made.finalize();
  return made;
}

void OperationGraph::pointwise(const Pointwise& function, Id x, Id b, Id y, Id t) {
  const Descriptor& made = add_function(function);
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, made);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(x));
  if (b != none) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(b));
  if (t != none) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, at(t));
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(y));
}

void OperationGraph::pointwise_gradient(const Pointwise& function, Id x, Id dy, Id dx) {
  const Descriptor& made = add_function(function);
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, made);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, at(dy));
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(x));
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, at(dx));
}

void OperationGraph::reduce(cudnnReduceTensorOp_t op, Id x, Id y) {
  Descriptor& function = functions_.emplace_back(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  function.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op);
  function.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  function.finalize();
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, function);
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, at(x));
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, at(y));
}

void OperationGraph::multiply(Id a, Id b, Id c) {
  Descriptor& function = functions_.emplace_back(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  function.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  function.finalize();
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, function);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, at(a));
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, at(b));
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, at(c));
}

void OperationGraph::multiply_groups([[maybe_unused]] Id x, [[maybe_unused]] Id w,
                                     [[maybe_unused]] Id begins, [[maybe_unused]] Id y) {
#if CUDNN_VERSION >= 91500
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MODE, CUDNN_TYPE_MOE_GROUPED_MATMUL_MODE,
                CUDNN_MOE_GROUPED_MATMUL_MODE_NONE);
  operation.set(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MATH_PREC, CUDNN_DATA_FLOAT);
  operation.set(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_DESC, at(x));
  operation.set(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_WEIGHT_DESC, at(w));
  operation.set(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_FIRST_TOKEN_OFFSET_DESC, at(begins));
  operation.set(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_OUTPUT_DESC, at(y));
  has_products_ = true;
#else
  throw harness::Unsupported("cuDNN has grouped products since 9.15");
#endif
}

void OperationGraph::dequantize(Id x, Id scale, Id y, const Dims& block, cudnnDataType_t computed) {
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_XDESC, at(x));
  operation.set(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_SCALE_DESC, at(scale));
  operation.set(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_YDESC, at(y));
  operation.set(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_MATH_PREC, computed);
  const std::vector<std::int32_t> extents(block.begin(), block.end());
  operation.set_extents(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_BLOCK_SIZE, extents);
}

void OperationGraph::reshape(Id x, Id y) {
  Descriptor& operation = add(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, at(x));
  operation.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, at(y));
}

const Descriptor& OperationGraph::add_window(const ConvolutionWindow& window) {
  Descriptor& function = functions_.emplace_back(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  function.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  function.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
               CUDNN_CROSS_CORRELATION);
  function.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
               static_cast<std::int64_t>(window.strides.size()));
  function.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, window.begin);
  function.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, window.end);
  function.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, window.dilations);
  function.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, window.strides);
  function.finalize();
  return function;
}

void OperationGraph::add_convolution(const ConvolutionNames& names, const ConvolutionWindow& window,
                                     const std::array<Id, 3>& tensors) {
  const Descriptor& function = add_window(window);
  Descriptor& operation = add(names.operation);
  operation.set(names.window, function);
  for (std::size_t i = 0; i < tensors.size(); ++i) operation.set(names.tensors[i], at(tensors[i]));
  operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1.0F);
  operation.set(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
}

void OperationGraph::convolve(const ConvolutionWindow& window, Id x, Id w, Id y) {
  add_convolution({.operation = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                   .window = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                   .tensors = {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
                   .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                   .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
                  window, {x, w, y});
}

void OperationGraph::convolve_transposed(const ConvolutionWindow& window, Id x, Id w, Id y) {
  add_convolution({.operation = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                   .window = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                   .tensors = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX},
                   .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                   .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
                  window, {x, w, y});
}

void OperationGraph::filter_gradient(const ConvolutionWindow& window, Id x, Id dy, Id dw) {
  add_convolution({.operation = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                   .window = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                   .tensors = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW},
                   .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                   .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
                  window, {x, dy, dw});
}

void OperationGraph::finish(const Target& target) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (Descriptor& operation : operations_) {
    operation.finalize();
    handles.push_back(operation.get());
  }
  Descriptor& made = graph_.emplace_back(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
           static_cast<std::int64_t>(handles.size()), handles.data());
  if (target.handle() != nullptr) {
    made.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target.handle());
  }
  made.finalize();
}

std::string OperationGraph::signature() const {
  std::string all;
  for (const Descriptor& operation : operations_) all += operation.signature() + ';';
  return all;
}

}  // namespace benanza::cudnn
