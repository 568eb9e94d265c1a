#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/model/checked_math.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Inputs: signal (batch, length, 1 or 2), step, window, frame length. Output: (batch, frames,
/// bins, 2). Unless onesided is 0, only half of the bins.
std::vector<TensorFacts> stft_shape(const NodeView& node) {
  const Dims& signal = node.shape(0);
  if (signal.size() < 2) throw Error("a signal needs a batch and a length");
  const std::int64_t step = whole(node.scalar(1, 0));
  const std::int64_t length = node.has_input(3) ? whole(node.scalar(3, 0)) : node.shape(2).at(0);
  if (step < 1 || length < 1 || length > signal[1]) throw Error("the frames do not fit the signal");
  const bool onesided = node.integer("onesided", 1) != 0;
  return {{node.input(0).type, Dims{signal[0], (signal[1] - length) / step + 1,
                                    onesided ? length / 2 + 1 : length, 2}}};
}

/// Last axis: 1 for real, 2 for complex numbers. `axis` is an attribute before opset 20.
std::vector<TensorFacts> dft_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.size() < 2) throw Error("a signal of " + join(dims, 'x') + " needs two axes");
  const bool attribute = node.opset() < 20;
  const std::int64_t stated = attribute ? node.integer("axis", 1) : whole(node.scalar(2, -2));
  const std::int64_t axis = NodeView::axis(stated, dims.size());
  const bool onesided = node.integer("onesided", 0) != 0;
  const bool inverse = node.integer("inverse", 0) != 0;
  std::int64_t& bins = dims[static_cast<std::size_t>(axis)];
  if (node.has_input(1)) {
    bins = whole(node.scalar(1, 0));
    if (bins < 1) throw Error("a length of " + std::to_string(bins));
  } else if (onesided && inverse) {
    bins = checked_product(2, bins - 1);
  }
  if (onesided && !inverse) bins = bins / 2 + 1;
  dims.back() = onesided && inverse ? 1 : 2;
  return {{node.input(0).type, dims}};
}

/// Hann, Hamming, Blackman.
std::vector<TensorFacts> window_shape(const NodeView& node) {
  const auto type = static_cast<int>(node.integer("output_datatype", ::onnx::TensorProto::FLOAT));
  return {{type, Dims{whole(node.scalar(0, 0))}}};
}

/// A matrix from spectrum bins to mel bands.
std::vector<TensorFacts> mel_weights_shape(const NodeView& node) {
  const auto type = static_cast<int>(node.integer("output_datatype", ::onnx::TensorProto::FLOAT));
  return {{type, Dims{whole(node.scalar(1, 0)) / 2 + 1, whole(node.scalar(0, 0))}}};
}

}  // namespace

void register_signal(OperatorTable& table) {
  table.add("STFT",
            {.shapes = {{stft_shape}}, .unsupported = "no library here has Fourier transforms"});
  table.add("DFT",
            {.shapes = {{dft_shape}}, .unsupported = "no library here has Fourier transforms"});
  for (const auto* op : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
    table.add(op, {.shapes = {{window_shape}},
                   .unsupported = "no library here makes windows of signals"});
  }
  table.add("MelWeightMatrix", {.shapes = {{mel_weights_shape}},
                                .unsupported = "no library here makes bands of spectra"});
}

}  // namespace benanza::onnx
