#include "core/library/algorithm.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/plans/int8_lstm.h"
#include "suites/onednn/plans/recurrence.h"
#include "suites/onednn/plans/recurrent_call.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

Plan plan(const Recurrent& shape, const VariantContext& context,
          RecurrentWeights weights = RecurrentWeights::chosen_by_library) {
  check_recurrence(shape, context);
  if (context.integers()) return plan_int8_lstm(shape, context);
  const auto kind =
      shape.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  // In training at bf16 the library has no lstm without both the initial and the final cells.
  const bool lstm = shape.kind == RecurrentKind::lstm;
  Recurrent asked = shape;
  if (shape.training && lstm) asked.initial = asked.final = true;
  Plan plan{.implementation = recurrence(asked, context, kind, weights),
            .operands = {},
            .result = output_argument(shape, DNNL_ARG_DST_LAYER, false)};
  add_recurrent_operands(plan, shape);
  if (shape.final) {
    plan.further_results.push_back(state_argument(shape, DNNL_ARG_DST_ITER));
    if (lstm) plan.further_results.push_back(state_argument(shape, DNNL_ARG_DST_ITER_C));
  }
  const auto fill = [&](int h, int c) {
    for (const int id : {h, c}) plan.fills.push_back({.id = id});
  };
  if (asked.final && !shape.final) fill(DNNL_ARG_DST_ITER, DNNL_ARG_DST_ITER_C);
  if (asked.initial && !shape.initial) fill(DNNL_ARG_SRC_ITER, DNNL_ARG_SRC_ITER_C);
  return plan;
}

[[noreturn]] void refuse_packed_bytes() {
  throw harness::Unsupported("packed weights are not unpacked to 8 bits");
}

/// Where the library's blocked weights mean other code than its matrix products: those, which are
/// faster for one sequence.
Plan row_major_plan(const Recurrent& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("int8 weights have a format of their own");
  Plan found = plan(shape, context, RecurrentWeights::row_major);
  if (plan(shape, context).implementation.name() == found.implementation.name()) {
    throw harness::Unsupported("the library's code is the same for its own formats");
  }
  return found;
}

/// Whether the library prefers code for blocked weights.
bool has_blocked_code(const Recurrent& shape, const VariantContext& context) {
  try {
    const Plan found = offered([&] { return plan(shape, context); });
    return !is_reference_code(found.implementation.name());
  } catch (const harness::Unsupported&) {
    return false;
  }
}

/// What the library calls "ref" are its matrix products, and code made for the functions. Where it
/// prefers other code, row_major. has them.
std::vector<Attempt> attempts(const Recurrent& shape, const VariantContext& context,
                              const std::string& prefix) {
  return {{.prefix = prefix,
           .plan = [=] { return plan(shape, context); },
           .has_reference_code = has_blocked_code(shape, context)},
          {.prefix = prefix + "row_major.",
           .plan = [=] { return row_major_plan(shape, context); },
           .has_reference_code = false}};
}

/// Weights are unpacked when the model is loaded: neither a library nor a framework multiplies a
/// state by stored weights without making bytes of it.
std::vector<Attempt> unpacked(const Recurrent& shape, const VariantContext& context) {
  if (context.integers()) refuse_packed_bytes();
  return attempts(shape, context, "unpacked.");
}

harness::Family<Library, Recurrent> products(Layouts<Recurrent> layouts, bool for_packed) {
  return {.layouts = std::move(layouts),
          .ways =
              [=](Library& library, const Recurrent& shape, const harness::Variant& prototype,
                  harness::AlgorithmSet set) {
                if (for_packed && prototype.precision == Precision::int8) refuse_packed_bytes();
                return recurrent_product_ways(library, shape, prototype, set,
                                              for_packed ? "unpacked." : "");
              },
          .for_packed = for_packed,
          .chooses_leading = true};
}

}  // namespace

/// Weights and biases are in the library's formats: both are prepared when the model is loaded. The
/// order of steps and batch belongs to the problem, not to the variant's layout.
void register_recurrent(WayTable& table) {
  const auto plain = [](const Recurrent&) { return std::vector{Layout::plain}; };
  table.add(family_of<Recurrent>(
      plain, [](const Recurrent& shape, const Problem&, const VariantContext& context) {
        return attempts(shape, context, "");
      }));
  table.add(products(plain, false));
  auto packed = family_of<Recurrent>(
      plain, [](const Recurrent& shape, const Problem&, const VariantContext& context) {
        return unpacked(shape, context);
      });
  packed.for_packed = true;
  table.add(std::move(packed));
  table.add(products(plain, true));
}

}  // namespace benanza::onednn
