#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::shapes {
namespace {

/// Signal (batch, length, 1 or 2), step, window, frame length: (batch, frames, bins, 2). A real
/// signal has half of the bins, if it is not told otherwise.
std::vector<TensorFacts> stft(const Site& site) {
  const Dims& signal = site.shape(0);
  if (signal.size() < 2) throw Error("a signal needs a batch and a length");
  const std::int64_t step = whole(site.scalar(1, 0));
  const std::int64_t length = site.has_input(3) ? whole(site.scalar(3, 0)) : site.shape(2).at(0);
  if (step < 1 || length < 1 || length > signal[1]) throw Error("the frames do not fit the signal");
  const bool onesided = site.node().integer("onesided", 1) != 0;
  return {{site.input(0).type, Dims{signal[0], (signal[1] - length) / step + 1,
                                    onesided ? length / 2 + 1 : length, 2}}};
}

/// Of real numbers (last axis 1) or complex ones (2). The axis is an attribute before opset 20.
std::vector<TensorFacts> dft(const Site& site) {
  Dims dims = site.shape(0);
  if (dims.size() < 2) throw Error("a signal of " + join(dims, 'x') + " needs two axes");
  const bool attribute = site.node().opset() < 20;
  const std::int64_t stated =
      attribute ? site.node().integer("axis", 1) : whole(site.scalar(2, -2));
  const std::int64_t axis = Site::axis(stated, dims.size());
  const bool onesided = site.node().integer("onesided", 0) != 0;
  const bool inverse = site.node().integer("inverse", 0) != 0;
  std::int64_t& bins = dims[static_cast<std::size_t>(axis)];
  if (site.has_input(1)) {
    bins = whole(site.scalar(1, 0));
    if (bins < 1) throw Error("a length of " + std::to_string(bins));
  } else if (onesided && inverse) {
    bins = checked_product(2, bins - 1);
  }
  if (onesided && !inverse) bins = bins / 2 + 1;
  dims.back() = onesided && inverse ? 1 : 2;
  return {{site.input(0).type, dims}};
}

/// Hann, Hamming, Blackman.
std::vector<TensorFacts> window(const Site& site) {
  const auto type =
      static_cast<int>(site.node().integer("output_datatype", ::onnx::TensorProto::FLOAT));
  return {{type, Dims{whole(site.scalar(0, 0))}}};
}

/// Bins of a spectrum to bands.
std::vector<TensorFacts> mel_weights(const Site& site) {
  const auto type =
      static_cast<int>(site.node().integer("output_datatype", ::onnx::TensorProto::FLOAT));
  return {{type, Dims{whole(site.scalar(1, 0)) / 2 + 1, whole(site.scalar(0, 0))}}};
}

}  // namespace

void register_signal(ShapeTable& table) {
  table.add("STFT", stft);
  table.add("DFT", dft);
  for (const auto* op : {"HannWindow", "HammingWindow", "BlackmanWindow"}) table.add(op, window);
  table.add("MelWeightMatrix", mel_weights);
}

}  // namespace benanza::onnx::shapes
