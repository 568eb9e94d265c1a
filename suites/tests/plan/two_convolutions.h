#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/name.h"
#include "suites/plan/backends.h"
#include "suites/plan/planned_model.h"

namespace benanza::plan {

inline constexpr std::size_t channels = 16;
inline constexpr std::size_t side = 6;
inline constexpr std::size_t pixels = side * side;
using Image = std::vector<float>;

/// Small integers, so that sums are exact.
inline Image planned_model_pattern(std::size_t count, std::size_t period) {
  Image values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % period) - 2;
  return values;
}

/// 3x3, padded by 1, without bias.
inline Image convolved(const Image& x, const Image& w) {
  Image y(channels * pixels, 0);
  for (std::size_t k = 0; k < channels; ++k) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t at = 0; at < pixels * 9; ++at) {
        const std::size_t row = at / 9 / side + at % 9 / 3;
        const std::size_t column = at / 9 % side + at % 3;
        if (row < 1 || row > side || column < 1 || column > side) continue;
        y[k * pixels + at / 9] +=
            x[c * pixels + (row - 1) * side + column - 1] * w[(k * channels + c) * 9 + at % 9];
      }
    }
  }
  return y;
}

inline Image mapped(Image values, const std::function<float(std::size_t, float)>& function) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(i, values[i]);
  return values;
}

inline float relu(std::size_t, float value) { return std::max(value, 0.0F); }

inline const std::string convolution = "conv/1x16x6x6_k16x3x3_p1.1.1.1_s1x1_d1x1_g1";

/// x -> a = relu(conv(x, w) + b) -> c = conv(a, w) -> y = c + x, each a step.
struct TwoConvolutions {
  explicit TwoConvolutions(Layout layout) : layout(layout) {}

  Layout layout;
  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  Image x = planned_model_pattern(channels * pixels, 5);
  Image w = planned_model_pattern(channels * channels * 9, 4);
  Image b = planned_model_pattern(channels, 3);
  Image a = mapped(convolved(x, w),
                   [&](std::size_t i, float value) { return relu(i, value + b[i / pixels]); });
  Image c = convolved(a, w);
  Image y = mapped(c, [&](std::size_t i, float value) { return value + x[i]; });
  Plan plan = make_plan();

  std::string call(const std::string& problem, Layout wanted) const {
    harness::Backend& backend = *backends.all().front();
    const harness::Variant variant{parse(problem), Precision::fp32, wanted, ""};
    return problem + "/fp32/" + std::string(to_string(wanted)) + "/onednn/" +
           backend.ways(variant, harness::AlgorithmSet::best).front().name;
  }
  Plan make_plan() const {
    const Dims shape{1, 16, 6, 6};
    constexpr std::int64_t bytes = channels * pixels * 4;
    const auto buffer = [](std::int64_t index, std::size_t first, std::size_t last) {
      return PlanBuffer{.elements = bytes / 4,
                        .bytes = bytes,
                        .offset = index * bytes,
                        .first = first,
                        .last = last};
    };
    const auto tensor = [&](const char* name, std::size_t place) {
      return PlanTensor{.name = name, .type = "float", .shape = shape, .buffer = place};
    };
    const auto constant = [](const char* name, Dims extents) {
      return PlanTensor{.name = name, .type = "float", .shape = std::move(extents)};
    };
    return {.model = "m",
            .precision = "fp32",
            .arena_bytes = 4 * bytes,
            .tensors = {tensor("x", 0), constant("w", {16, 16, 3, 3}), constant("b", {16}),
                        tensor("a", 1), tensor("c", 2), tensor("y", 3)},
            .buffers = {buffer(0, 0, 2), buffer(1, 0, 1), buffer(2, 1, 2), buffer(3, 2, 2)},
            .steps = {{.call = call(convolution + "_bias_relu", layout),
                       .work = {.problem = convolution + "_bias_relu",
                                .operands = {{.index = 0}, {.index = 1}, {.index = 2}}},
                       .results = {3}},
                      {.call = call(convolution, layout),
                       .work = {.problem = convolution, .operands = {{.index = 3}, {.index = 1}}},
                       .results = {4}},
                      {.call = call("add/1x16x6x6_1x16x6x6", Layout::nchw),
                       .work = {.problem = "add/1x16x6x6_1x16x6x6",
                                .operands = {{.index = 4}, {.index = 0}}},
                       .results = {5}}},
            .inputs = {0},
            .results = {5}};
  }
  std::map<std::string, Image> values() const {
    return {{"x", x}, {"w", w}, {"b", b}, {"a", a}, {"c", c}, {"y", y}};
  }
};

}  // namespace benanza::plan
