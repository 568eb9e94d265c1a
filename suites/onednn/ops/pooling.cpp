#include <algorithm>
#include <string>
#include <utility>

#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/plans/channels_last.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/plans/reduction_ways.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

Plan plan(const Pooling& shape, const Problem& problem, const VariantContext& context) {
  const Window& window = shape.window;
  const LibraryWindow in_library(window);
  const PostOps steps = steps_of(problem, context, shape.output());
  Plan plan{.implementation = api::implementation_of<api::Pooling>(
                context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                pooling_algorithm(shape.mode), context.tensor(shape.input),
                context.tensor(shape.output()), window.strides, window.kernel, in_library.gaps,
                in_library.begin_pads, in_library.end_pads),
            .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
            .result = {DNNL_ARG_DST, floats(shape.output())}};
  add_steps(plan, steps);
  return plan;
}

/// Found by verification on version 3.2: in the nchw layout, wrong elements of the steps' tensors
/// are read for all images but the first.
std::string misplaces_operands(const Plan& plan) {
  if (dnnl_version()->major != 3) return "";
  const std::string name = plan.implementation.name();
  if (!name.starts_with("jit")) return "";
  return "oneDNN 3's " + name + " reads wrong elements of a step's tensor behind the first image";
}

bool is_global(const Pooling& shape) {
  const auto is_one = [](std::int64_t value) { return value == 1; };
  return !shape.window.has_padding() && shape.window.kernel == spatial(shape.input) &&
         std::ranges::all_of(shape.window.dilations, is_one);
}

/// Reduces all pixels of an image at once, in layouts whose pixels are adjacent.
Plan plan_global(ReduceBy how, const Pooling& shape, const Problem& problem,
                 const VariantContext& context) {
  const std::int64_t images = shape.input[0];
  const std::int64_t channels = shape.input[1];
  const std::int64_t pixels = element_count(shape.input) / (images * channels);
  const bool last = context.layout() == Layout::nhwc;
  const Middle middle =
      last ? Middle{images, pixels, channels} : Middle{images * channels, pixels, 1};
  const auto kind = shape.mode == PoolingMode::max ? ReductionKind::max : ReductionKind::mean;
  Plan plan = plan_reduction(how, middle, kind, problem, context);
  if (last) {
    plan.operands.front().values = floats(shape.input);
    plan.operands.front().seen_as = context.tensor(shape.input);
  }
  return plan;
}

}  // namespace

/// Global pooling is also available as a reduction, and global average pooling as a product with
/// ones.
void register_pooling(WayTable& table) {
  table.add(family_of<Pooling>(
      [](const Pooling& shape) { return channel_layouts(shape.input); },
      [](const Pooling& shape, const Problem& problem, const VariantContext& context) {
        std::vector<Attempt> attempts{
            {.prefix = "", .plan = [=] { return plan(shape, problem, context); }}};
        const bool has_tensors = !problem.epilogue.step_operands().empty();
        if (has_tensors && shape.input[0] > 1 && context.layout() == Layout::nchw) {
          attempts.front().defect = misplaces_operands;
        }
        if (is_global(shape) && context.layout() != Layout::any) {
          for (const auto& [prefix, how] : {std::pair{"reduction.", ReduceBy::reduction},
                                            std::pair{"product.", ReduceBy::product}}) {
            attempts.push_back({.prefix = prefix,
                                .plan = [=] { return plan_global(how, shape, problem, context); }});
          }
        }
        return attempts;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
