#include "suites/cudnn/ops/deconvolution/deconvolution.h"

#include <utility>

namespace benanza::cudnn {

DataGradientCalls::DataGradientCalls(const Request&, const ConvolutionCall& call,
                                     ConvolutionDescriptors descriptors,
                                     cudnnConvolutionBwdDataAlgo_t algorithm)
    : descriptors_(std::move(descriptors)), algorithm_(algorithm) {
  if (!call.padded) return;
  larger_ = nvidia::DeviceMemory(nvidia::span_bytes(call.padded->whole));
  interior_bytes_ = call.padded->interior.offset_bytes();
}

void DataGradientCalls::operator()(const CudnnPrimitive& call) const {
  const ConvolutionDescriptors& d = descriptors_;
  const bool direct = d.interior == nullptr;
  const float products = call.scale();
  BENANZA_CUDNN(cudnnConvolutionBackwardData, call.handle(), &products, d.weights.get(),
                call.input(1), d.features.get(), call.input(0), d.convolution.get(), algorithm_,
                call.workspace(), static_cast<std::size_t>(call.workspace_bytes()), &zero,
                d.image_of_library.get(), direct ? call.output() : larger_.data());
  if (direct) return;
  BENANZA_CUDNN(cudnnTransformTensor, call.handle(), &one, d.interior.get(),
                larger_.data() + interior_bytes_, &zero, d.image.get(), call.output());
}

void DataGradient::refuse(const Shape&, const harness::Variant& variant) {
  if (variant.problem.epilogue == Epilogue{}) return;
  throw harness::Unsupported(
      "cuDNN's functions have no transposed convolution with bias, residual or activation in "
      "one call");
}

void register_deconvolution(WayTable& table) {
  table.add(ConvolutionFunctions<DataGradient>::family());
  table.add(engines_of<Deconvolution>(
      [](const Deconvolution& shape) { return image_layouts(shape.input); }, deconvolution_graphs,
      Steps::in_graph));
}

}  // namespace benanza::cudnn
