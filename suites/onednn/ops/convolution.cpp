#include <optional>

#include "suites/harness/packed_values.h"
#include "suites/onednn/plans/convolution.h"
#include "suites/onednn/plans/dequantized.h"
#include "suites/onednn/plans/product.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

Plan plan(const Convolution& shape, const Problem& problem, const VariantContext& context,
          dnnl::algorithm algorithm, ResidualFrom from) {
  return plan_convolution<dnnl::convolution_forward>(shape, problem, context, algorithm, from,
                                                     floats(weight_dims(shape)));
}

/// An image one pixel wide as a line: the library has fast code for pixels along the last axis.
/// Empty for others.
std::optional<Convolution> as_line(const Convolution& shape) {
  Convolution line = shape;
  Window& window = line.window;
  while (window.rank() > 1 && line.input.back() == 1 && window.kernel.back() == 1) {
    const auto begin = static_cast<std::ptrdiff_t>(window.rank() - 1);
    if (window.pads[window.rank() - 1] != 0 || window.pads.back() != 0) break;
    window.pads.pop_back();
    window.pads.erase(window.pads.begin() + begin);
    for (Dims* one : {&line.input, &window.kernel, &window.strides, &window.dilations}) {
      one->pop_back();
    }
  }
  if (line == shape || line.input.back() == 1) return std::nullopt;
  return line;
}

/// The library's code for these is faster in fp32 than at int8 on some CPUs.
bool is_depthwise(const Convolution& shape) {
  return shape.groups > 1 && shape.groups == shape.input[1];
}

bool is_for_depthwise(std::string_view implementation) {
  return implementation.find("dw") != std::string_view::npos;
}

bool channels_are_innermost(const Memory::desc& format) {
  const api::Blocking blocking = api::blocking(format);
  return blocking.blocks.empty() && (api::dims(format)[1] == 1 || blocking.strides[1] == 1);
}

/// Found by verification on version 2.6.3: for channels-last results, even if the library chose
/// that format itself, convolutions by products (gemm) read wrong elements of a residual, or of a
/// step's tensor; residuals in the result's memory are read correctly.
std::string misplaces_residual(const Plan& plan) {
  const dnnl_version_t& version = *dnnl_version();
  if (version.major != 2 || version.minor != 6) return "";
  const std::string name = plan.implementation.name();
  if (name.find("gemm") == std::string::npos) return "";
  const Memory::desc result = plan.implementation.current().query_md(dnnl::query::dst_md);
  if (!channels_are_innermost(result)) return "";
  return "oneDNN 2.6's " + name + " adds wrong elements of a residual with channels last";
}

std::vector<Attempt> attempts(const Convolution& shape, const Problem& problem,
                              const VariantContext& context) {
  std::vector<Attempt> found;
  const auto ask = [&](const std::string& prefix, dnnl::algorithm algorithm,
                       const Convolution& seen) {
    auto ways = with_epilogue(problem, prefix, [=](ResidualFrom from) {
      return plan(seen, problem, context, algorithm, from);
    });
    const bool has_tensors = !problem.epilogue.step_operands().empty();
    if (problem.epilogue.residual) ways.front().defect = misplaces_residual;
    for (Attempt& way : ways) {
      way.traits.transforms = algorithm == dnnl::algorithm::convolution_winograd;
      if (has_tensors) way.defect = misplaces_residual;
    }
    found.insert(found.end(), ways.begin(), ways.end());
  };
  if (const auto line = as_line(shape)) {
    ask("line.", dnnl::algorithm::convolution_direct, *line);
  }
  if (const auto image = as_image(shape)) {
    ask("image.", dnnl::algorithm::convolution_direct, *image);
  }
  ask("", dnnl::algorithm::convolution_direct, shape);
  // Version 2 rounds transforms of bytes to bytes: its sums are several units off.
  if (!context.integers()) ask("winograd.", dnnl::algorithm::convolution_winograd, shape);
  const auto products = attempts_as_product(shape, problem, context);
  found.insert(found.end(), products.begin(), products.end());
  if (is_depthwise(shape)) {
    auto floats = dequantized_attempts(context, {1}, [&](const VariantContext& inside) {
      return with_epilogue(problem, "", [=](ResidualFrom from) {
        return plan(shape, problem, inside, dnnl::algorithm::convolution_direct, from);
      });
    });
    for (Attempt& way : floats) way.wanted = is_for_depthwise;
    found.insert(found.end(), floats.begin(), floats.end());
  }
  return found;
}

/// Convolutions with weights that are unpacked when the model is loaded, as products are: the
/// library reads packed ones beside bytes alone.
std::vector<Attempt> unpacked_attempts(const Convolution& shape, Problem problem,
                                       const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("packed weights are not unpacked to 8 bits");
  const Dims made = shape.output();
  harness::require_rows_to_unpack(element_count(made) / made[1]);
  problem.packed.reset();
  std::vector<Attempt> found = attempts(shape, problem, context);
  for (Attempt& attempt : found) attempt.prefix = "unpacked." + attempt.prefix;
  return found;
}

}  // namespace

/// Layout::any leaves the format of input and result to the library. Weights always have the format
/// that the library chooses: they are packed when the model is loaded, outside the timed region.
void register_convolution(WayTable& table) {
  const auto layouts = [](const Convolution&) {
    return std::vector{Layout::nchw, Layout::nhwc, Layout::any};
  };
  table.add(family_of<Convolution>(layouts, attempts, Steps::scaled));
  auto packed = family_of<Convolution>(layouts, unpacked_attempts, Steps::appended);
  packed.for_packed = true;
  table.add(std::move(packed));
}

}  // namespace benanza::onednn
