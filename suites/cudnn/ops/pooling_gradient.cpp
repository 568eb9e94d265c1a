#include "suites/cudnn/ops/pooling.h"

#include <optional>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {
namespace {

bool is_max(const PoolingGradient& shape) { return shape.forward.mode == PoolingMode::max; }

/// The gradient of the output and, for max, the input.
std::vector<nvidia::TensorFormat> pooling_operands(const PoolingGradient& shape,
                                                   const PoolingCall& call) {
  std::vector<nvidia::TensorFormat> formats{call.output};
  if (is_max(shape)) formats.push_back(call.input);
  return formats;
}

/// The call takes the forward call's input and result in every mode; an average does not read them.
/// A padded input is one that a framework kept from the forward call; extracting the gradient's
/// interior is part of the call.
class PoolingGradientFunction {
 public:
  PoolingGradientFunction(const Request& request, const PoolingGradient& shape,
                          const PoolingCall& call)
      : input_(make_tensor(call.input)),
        read_(make_tensor(call.read_by_library())),
        output_(make_tensor(call.output)),
        pooling_(make_pooling(call.mode, call.kernel, call.pads, call.strides)),
        result_(nvidia::span_bytes(call.output)),
        is_max_(is_max(shape)) {
    const cudaStream_t stream = request.library.cuda().stream();
    result_.fill(0, stream);
    if (call.padded) {
      padded_.emplace(request.library.cuda(), *call.padded, call.border);
      larger_ = nvidia::DeviceMemory(nvidia::span_bytes(call.padded->whole));
      interior_ = make_tensor(call.padded->interior.format);
      interior_bytes_ = call.padded->interior.offset_bytes();
    } else if (!is_max_) {
      unread_ = nvidia::DeviceMemory(nvidia::span_bytes(call.input));
      unread_.fill(0, stream);
    }
  }

  /// Computes the forward result from the input.
  void uploaded(const CudnnPrimitive& call, std::size_t operand) {
    if (operand != 1) return;
    if (padded_) padded_->copy(call.handle(), input_, call.input(1));
    BENANZA_CUDNN(cudnnPoolingForward, call.handle(), pooling_.get(), &one, read_.get(), x(call),
                  &zero, output_.get(), result_.data());
  }

  void operator()(const CudnnPrimitive& call) const {
    BENANZA_CUDNN(cudnnPoolingBackward, call.handle(), pooling_.get(), &one, output_.get(),
                  result_.data(), output_.get(), call.input(0), read_.get(), x(call), &zero,
                  read_.get(), padded_ ? larger_.data() : call.output());
    if (!padded_) return;
    BENANZA_CUDNN(cudnnTransformTensor, call.handle(), &one, interior_.get(),
                  larger_.data() + interior_bytes_, &zero, input_.get(), call.output());
  }

 private:
  const std::byte* x(const CudnnPrimitive& call) const {
    if (padded_) return padded_->data();
    return is_max_ ? call.input(1) : unread_.data();
  }

  TensorDescriptor input_;
  TensorDescriptor read_;
  TensorDescriptor output_;
  PoolingDescriptor pooling_;
  /// The forward call's result.
  nvidia::DeviceMemory result_;
  bool is_max_;
  /// A placeholder for the input of an average.
  nvidia::DeviceMemory unread_;
  std::optional<PaddedInput> padded_;
  /// Written by the library if the input is padded; the gradient is its interior.
  nvidia::DeviceMemory larger_;
  TensorDescriptor interior_;
  std::int64_t interior_bytes_ = 0;
};

std::unique_ptr<harness::Primitive> pooling_gradient_primitive(const Request& request,
                                                               const PoolingGradient& shape,
                                                               const PoolingWay& way) {
  const PoolingCall call =
      map_pooling_gradient(shape, request.variant.precision, request.variant.layout, way);
  return call_of(request,
                 {.inputs = pooling_operands(shape, call),
                  .results = {call.input},
                  .facts = {{"explicit_padding", call.padded.has_value()}}},
                 PoolingGradientFunction(request, shape, call));
}

}  // namespace

std::vector<PoolingWay> pooling_gradient_ways(const PoolingGradient& shape, Precision precision) {
  if (precision == Precision::int8) throw harness::Unsupported("cuDNN has no int8 gradients");
  std::vector<PoolingWay> ways;
  for (const PoolingWay& way : pooling_ways(shape.forward)) {
    ways.push_back(way);
    if (!is_max(shape)) continue;
    ways.push_back({.name = way.pads_input ? "padded_input.deterministic" : "direct.deterministic",
                    .pads_input = way.pads_input,
                    .deterministic = true});
  }
  return ways;
}

PoolingCall map_pooling_gradient(const PoolingGradient& shape, Precision precision, Layout layout,
                                 const PoolingWay& way) {
  PoolingCall call = map_pooling(shape.forward, precision, layout, way);
  if (way.deterministic) call.mode = CUDNN_POOLING_MAX_DETERMINISTIC;
  return call;
}

void register_pooling_gradient(WayTable& table) {
  table.add(functions_of<PoolingGradient>(
      [](const PoolingGradient& shape) { return image_layouts(shape.forward.input); },
      [](const PoolingGradient& shape, const harness::Variant& prototype) {
        return pooling_gradient_ways(shape, prototype.precision);
      },
      pooling_gradient_primitive));
}

}  // namespace benanza::cudnn
