#include "base/error.h"
#include "onnx/shapes/table.h"
#include "onnx/whole.h"

namespace benanza::shapes {
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

}  // namespace

void register_signal(ShapeTable& table) { table.add("STFT", stft); }

}  // namespace benanza::shapes
