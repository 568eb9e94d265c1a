#include "suites/onednn/plans/dequantized.h"

#include <algorithm>
#include <utility>

#include "suites/harness/primitive.h"
#include "suites/onednn/plans/beside.h"

namespace benanza::onednn {
namespace {

/// The same tensor in bytes. Where the library chooses the format of images, theirs is blocked.
Memory::desc bytes_of(const Argument& argument, const VariantContext& integers) {
  const Dims dims = api::dims(argument.values);
  if (integers.layout() != Layout::plain) return integers.tensor(dims);
  return integers.strided(dims, api::blocking(argument.values).strides);
}

/// The library stores three axes of floats as bytes by slow code for recurrent layers, one axis by
/// its fast code.
Beside stored_as_bytes(const VariantContext& integers, const Memory::desc& bytes) {
  return [=](const Memory::desc& computed) {
    const auto is_dense = [](const Memory::desc& format) {
      return api::blocking(format).blocks.empty() &&
             api::blocking(format).strides == dense_strides(api::dims(format));
    };
    if (!is_dense(computed) || !is_dense(bytes)) return moved_to(integers, bytes)(computed);
    const Dims line{element_count(api::dims(bytes))};
    return moved_to(integers, integers.plain(line))(floats(line));
  };
}

Plan between_conversions(Plan plan, const std::vector<std::size_t>& constants,
                         const VariantContext& integers) {
  if (!plan.before.empty() || plan.after) {
    throw harness::Unsupported("int8 as fp32 between other calls");
  }
  for (std::size_t index = 0; index < plan.operands.size(); ++index) {
    const Argument& operand = plan.operands[index];
    if (operand.in_result) throw harness::Unsupported("a residual of bytes in memory of floats");
    if (operand.id == DNNL_ARG_BIAS || std::ranges::find(constants, index) != constants.end()) {
      continue;
    }
    const VariantContext bytes = index == 0 ? integers.of_data() : integers;
    plan.before.push_back({index, moved_from(integers, bytes_of(operand, bytes))});
  }
  plan.result.seen_as = bytes_of(plan.result, integers);
  plan.after = stored_as_bytes(integers, *plan.result.seen_as);
  return plan;
}

}  // namespace

std::vector<Attempt> dequantized_attempts(
    const VariantContext& context, const std::vector<std::size_t>& constants,
    const std::function<std::vector<Attempt>(const VariantContext& context)>& attempts_in) {
  if (!context.integers()) return {};
  std::vector<Attempt> attempts = attempts_in(context.as_dequantized());
  std::erase_if(attempts, [](const Attempt& attempt) { return attempt.traits.in_place; });
  for (Attempt& attempt : attempts) {
    attempt.prefix = "dequantized." + attempt.prefix;
    attempt.plan = [plan = std::move(attempt.plan), constants, context] {
      return between_conversions(plan(), constants, context);
    };
  }
  return attempts;
}

}  // namespace benanza::onednn
