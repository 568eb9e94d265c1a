#include "generator/onnx/resize.h"

#include <algorithm>
#include <cmath>

#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

/// The input pixel of every output pixel along one axis.
Dims pixels(const Site& site, const ResizeRequest& request, std::size_t axis) {
  const std::int64_t extent = site.shape(0)[axis];
  Dims taken(static_cast<std::size_t>(request.output[axis]));
  for (std::size_t o = 0; o < taken.size(); ++o) {
    // An axis that is not resized keeps its pixels, whatever the rounding.
    taken[o] = request.scales[axis] == 1
                   ? std::min(static_cast<std::int64_t>(o), extent - 1)
                   : nearest_pixel(
                         site, source_coordinate(site, request, axis, static_cast<std::int64_t>(o)),
                         extent);
  }
  return taken;
}

/// Whether pixel o is first + o / repeats * step.
bool follows(const Dims& taken, std::int64_t repeats, std::int64_t step) {
  for (std::size_t o = 0; o < taken.size(); ++o) {
    if (taken[o] != taken[0] + static_cast<std::int64_t>(o) / repeats * step) return false;
  }
  return true;
}

/// Every pixel several times, or every several-th pixel: what a copy can say.
std::optional<View> even_view(const Dims& input, const std::vector<Dims>& taken) {
  const Dims strides = dense_strides(input);
  View view;
  for (std::size_t axis = 0; axis < taken.size(); ++axis) {
    const auto count = static_cast<std::int64_t>(taken[axis].size());
    std::int64_t repeats = 1;
    while (repeats < count && taken[axis][static_cast<std::size_t>(repeats)] == taken[axis][0]) {
      ++repeats;
    }
    const std::int64_t step =
        repeats < count ? taken[axis][static_cast<std::size_t>(repeats)] - taken[axis][0] : 1;
    if (count % repeats != 0 || step < 0 || !follows(taken[axis], repeats, step)) return {};
    view.offset += taken[axis][0] * strides[axis];
    view.dims.insert(view.dims.end(), {count / repeats, repeats});
    view.strides.insert(view.strides.end(), {step * strides[axis], 0});
  }
  return view;
}

/// The problem whose definition gives the same pixels (nearest) or the same weights (linear).
Resampling resampling(const Site& site, const ResizeRequest& request, ResamplingMode mode) {
  const Dims& input = site.shape(0);
  if (input.size() < 3 || input.size() > 5 || request.output[0] != input[0] ||
      request.output[1] != input[1]) {
    throw NotExpressible("a resize of other than one to three spatial axes");
  }
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    const auto last = static_cast<double>(input[axis] - 1);
    for (std::int64_t o = 0; o < request.output[axis]; ++o) {
      const double centre = (static_cast<double>(o) + 0.5) * static_cast<double>(input[axis]) /
                                static_cast<double>(request.output[axis]) -
                            0.5;
      const double stated = source_coordinate(site, request, axis, o);
      const bool equal =
          mode == ResamplingMode::linear
              ? std::abs(std::clamp(centre, 0.0, last) - std::clamp(stated, 0.0, last)) < 1e-3
              : std::clamp(std::floor(centre + 0.5), 0.0, last) ==
                    static_cast<double>(nearest_pixel(site, stated, input[axis]));
      if (!equal) {
        throw NotExpressible("pixels by " +
                             site.node().text("coordinate_transformation_mode", "asymmetric") +
                             ", where libraries take half-pixel centres");
      }
    }
  }
  return {
      .input = input, .extents = {request.output.begin() + 2, request.output.end()}, .mode = mode};
}

Lowered nearest(const Site& site, const ResizeRequest& request) {
  const Dims& input = site.shape(0);
  std::vector<Dims> taken;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    taken.push_back(pixels(site, request, axis));
  }
  if (const auto from = even_view(input, taken)) {
    return movement({copy_call(*from, dense_view(from->dims))});
  }
  return movement({call(resampling(site, request, ResamplingMode::nearest), {from_input(0)})});
}

Lowered resize(const Site& site) {
  const ResizeRequest request = resize_request(site);
  if (element_count(request.output) < 1) throw NotExpressible("an empty result");
  if (element_count(site.shape(0)) < 1) throw NotExpressible("an empty input");
  // Every pixel of an axis is looked at.
  constexpr std::int64_t most_pixels = std::int64_t{1} << 16;
  for (const std::int64_t extent : request.output) {
    if (extent > most_pixels) {
      throw NotExpressible("an axis of " + std::to_string(extent) + " pixels");
    }
  }
  std::string mode = site.node().text("mode", "nearest");
  const bool keeps = request.output == site.shape(0);
  if (keeps && std::all_of(request.scales.begin(), request.scales.end(),
                           [](double scale) { return scale == 1; })) {
    return free_layer("keeps its size");
  }
  if (mode == "nearest") return nearest(site, request);
  const bool shrinks = std::any_of(request.scales.begin(), request.scales.end(),
                                   [](double scale) { return scale < 1; });
  if (shrinks && site.node().integer("antialias", 0) != 0) throw NotExpressible("antialiasing");
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode != "linear") throw NotExpressible(mode + " interpolation");
  return measured({call(resampling(site, request, ResamplingMode::linear), {from_input(0)})});
}

}  // namespace

void register_resize(LoweringTable& table) {
  table.add("Resize", resize);
  table.add("Upsample", resize);
}

}  // namespace benanza::onnx::lower
