#include "suites/plan/check.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/problem/name.h"
#include "core/problem/problem.h"
#include "suites/harness/outcome.h"
#include "suites/harness/way.h"
#include "suites/plan/step_call.h"

namespace benanza::plan {
namespace {

std::string why_changed(const Plan& plan, const PlanStep& step,
                        std::span<harness::Backend* const> backends) {
  try {
    const StepCall call = step_call(plan, step, backends);
    harness::make_alone(call.way, call.backend->allocator());
    return "";
  } catch (const std::exception& error) {
    return harness::one_line(error.what());
  }
}

}  // namespace

std::vector<ChangedStep> changed_steps(const Plan& plan,
                                       std::span<harness::Backend* const> backends) {
  std::vector<ChangedStep> changed;
  // Equal calls are set up once.
  std::map<std::string, std::string> reasons;
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    if (plan.steps[step].work.gather) continue;
    const PlanStep& one = plan.steps[step];
    std::string made = one.call + ' ' + join(one.work.result_strides, '.');
    for (const FlowOperand& operand : one.work.operands) made += ' ' + join(operand.strides, '.');
    const auto [found, is_new] = reasons.try_emplace(std::move(made));
    if (is_new) found->second = why_changed(plan, one, backends);
    if (!found->second.empty()) changed.push_back({step, found->second});
  }
  return changed;
}

std::vector<std::string> changed_systems(const Plan& plan,
                                         std::span<harness::Backend* const> backends) {
  std::vector<std::string> changed;
  for (harness::Backend* const backend : backends) {
    const auto planned = plan.systems.find(std::string(backend->name()));
    if (planned == plan.systems.end()) continue;
    const System here = backend->system();
    for (const auto& [name, value] : planned->second) {
      const auto own = here.find(name);
      if (own != here.end() && own->second == value) continue;
      std::string text = name + ' ' + value + ", here ";
      text += own == here.end() ? "unknown" : own->second;
      if (std::ranges::find(changed, text) == changed.end()) changed.push_back(std::move(text));
    }
  }
  return changed;
}

std::string check_text(const Plan& plan, const std::vector<std::string>& systems,
                       const std::vector<ChangedStep>& steps) {
  std::string text;
  for (const std::string& system : systems) text += "planned with " + system + '\n';
  const std::string count = std::to_string(plan.steps.size());
  std::map<std::string, std::set<std::string>> problems;
  for (const auto& [index, reason] : steps) {
    const PlanStep& step = plan.steps[index];
    std::string layers;
    for (const std::string& layer : step.layers) layers += (layers.empty() ? "" : " ") + layer;
    text += "step " + std::to_string(index + 1) + " of " + count + " (" + layers +
            "): " + step.call + ": " + reason + '\n';
    const VariantName name = parse_variant_name(step.call);
    problems[name.backend].insert(name.key);
  }
  if (steps.empty()) return text + "all " + count + " steps have the calls of the plan\n";
  text += std::to_string(steps.size()) + " of " + count +
          " steps changed. Measure them again, then plan again:\n";
  for (const auto& [backend, keys] : problems) {
    text += "  bench_" + backend + " --precision=" + plan.precision;
    for (const std::string& key : keys) text += " --problem=" + key;
    text += " --benchmark_out=RESULTS.json\n";
  }
  return text;
}

}  // namespace benanza::plan
