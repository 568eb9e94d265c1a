#include "core/problem/ops/copy.h"
#include "suites/onednn/plans/convolution.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// The library's weights are filters x channels x kernel, with a leading axis for the groups if
/// there are several; the problem's are channels x filters x kernel.
Memory::desc weight_values(const Deconvolution& shape) {
  const std::int64_t channels = shape.input[1] / shape.groups;
  const std::int64_t filters = shape.filters / shape.groups;
  const std::int64_t taps = element_count(shape.window.kernel);
  Dims dims{filters, channels};
  Dims strides{taps, filters * taps};
  if (shape.groups > 1) {
    dims.insert(dims.begin(), shape.groups);
    strides.insert(strides.begin(), channels * filters * taps);
  }
  const Dims kernel_strides = dense_strides(shape.window.kernel);
  dims.insert(dims.end(), shape.window.kernel.begin(), shape.window.kernel.end());
  strides.insert(strides.end(), kernel_strides.begin(), kernel_strides.end());
  return floats(dims, strides);
}

}  // namespace

/// Layouts and weights as for a convolution.
void register_deconvolution(WayTable& table) {
  table.add(family_of<Deconvolution>(
      [](const Deconvolution&) {
        return std::vector{Layout::nchw, Layout::nhwc, Layout::any};
      },
      [](const Deconvolution& shape, const Problem& problem, const VariantContext& context) {
        std::vector<Attempt> attempts;
        const auto ask = [&](const std::string& prefix, dnnl::algorithm algorithm,
                             const Deconvolution& seen) {
          auto ways = with_epilogue(problem, prefix, [=](ResidualFrom from) {
            return plan_convolution<dnnl::deconvolution_forward>(seen, problem, context, algorithm,
                                                                 from, weight_values(seen));
          });
          for (Attempt& way : ways) {
            way.traits.transforms = algorithm == dnnl::algorithm::deconvolution_winograd;
          }
          attempts.insert(attempts.end(), ways.begin(), ways.end());
        };
        if (const auto image = as_image(shape)) {
          ask("image.", dnnl::algorithm::deconvolution_direct, *image);
        }
        ask("", dnnl::algorithm::deconvolution_direct, shape);
        ask("winograd.", dnnl::algorithm::deconvolution_winograd, shape);
        return attempts;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
