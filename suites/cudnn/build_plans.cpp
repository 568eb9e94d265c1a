#include "suites/cudnn/build_plans.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/problem/name.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

harness::Variant variant_named(const std::string& text) {
  VariantName name = parse_variant_name(text);
  return {parse(name.key), name.precision, name.layout, std::move(name.algorithm)};
}

/// Builds at once. Leaves the plan's text in `text`: empty where it cannot be written.
class TextBuilder final : public PlanBuilder {
 public:
  TextBuilder(const std::string& device, std::optional<std::string>& text)
      : target_(device), text_(text) {}

  std::shared_future<std::optional<std::string>> begin(const EngineChoice& choice,
                                                       const harness::Variant&) override {
    const Descriptor plan = make_plan(choice, target_);
    text_.emplace();
    try {
      *text_ = plan_text(plan);
    } catch (const harness::Unsupported&) {
    }
    return {};
  }

 private:
  Target target_;
  std::optional<std::string>& text_;
};

std::optional<std::string> built(const SolverTable& table, const std::string& device,
                                 const std::string& name) {
  const harness::Variant variant = variant_named(name);
  nvidia::LazyContext no_gpu{nvidia::CudaOptions()};
  std::optional<std::string> text;
  Library library(no_gpu, Target(device), std::make_unique<TextBuilder>(device, text));
  for (const auto& solver : table.of(variant.problem)) {
    if (!solver.expect || (solver.owns && !solver.owns(variant.algorithm))) continue;
    solver.expect(library, variant.problem, variant);
    if (text) return text->empty() ? std::nullopt : text;
  }
  throw std::runtime_error(name + " is no engine that is compiled");
}

}  // namespace

int build_plans_for_others() {
  return answer_with_plans([](const std::string& device) {
    return
        [device, table = solvers()](const std::string& name) { return built(table, device, name); };
  });
}

}  // namespace benanza::cudnn
