#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "generator/onnx/largest/table.h"

namespace benanza::onnx::largest {
namespace {

/// Values of input `index`, if they are known; else nothing.
std::optional<Dims> known(const Site& site, std::size_t index) {
  if (!site.has_input(index) || !site.input(index).literal) return std::nullopt;
  return site.integers(index);
}

/// What lies between a first and a last place of which one or both are not known.
std::int64_t between(std::int64_t extent, std::optional<std::int64_t> first,
                     std::optional<std::int64_t> last, std::int64_t step) {
  if (step == 0) throw Error("a step of 0");
  if (step == std::numeric_limits<std::int64_t>::min()) return std::min<std::int64_t>(extent, 1);
  std::int64_t length = extent;
  if (step > 0) {
    const auto place = [&](std::int64_t stated) {
      return stated < 0 ? std::max<std::int64_t>(stated + extent, 0) : std::min(stated, extent);
    };
    length =
        std::max<std::int64_t>(0, (last ? place(*last) : extent) - (first ? place(*first) : 0));
  }
  const std::int64_t stride = std::abs(step);
  return length / stride + (length % stride > 0 ? 1 : 0);
}

std::vector<std::optional<Largest>> slice(const Site& site) {
  if (site.node().opset() < 10) throw NotExpressible("attributes tell everything");
  Dims dims = site.shape(0);
  if (site.has_input(3) && !site.input(3).literal) throw NotExpressible("axes are not known");
  const auto starts = known(site, 1);
  const auto ends = known(site, 2);
  const auto stated = known(site, 3);
  const auto steps = known(site, 4);
  const auto count = static_cast<std::size_t>(element_count(site.shape(1)));
  if (stated ? stated->size() != count : count > dims.size()) {
    throw Error("starts are not one per axis");
  }
  Largest result{site.input(0).type, {}, {}};
  for (std::size_t index = 0; index < count; ++index) {
    const auto of = [&](const std::optional<Dims>& values) {
      return values && index < values->size() ? std::optional((*values)[index]) : std::nullopt;
    };
    const auto axis = static_cast<std::size_t>(stated ? Site::axis((*stated)[index], dims.size())
                                                      : static_cast<std::int64_t>(index));
    const bool any_step = site.has_input(4) && !steps;
    dims[axis] =
        any_step ? dims[axis] : between(dims[axis], of(starts), of(ends), of(steps).value_or(1));
    result.open.push_back(axis);
  }
  result.shape = std::move(dims);
  return {result};
}

}  // namespace

void register_slice(LargestTable& table) { table.add("Slice", slice); }

}  // namespace benanza::onnx::largest
