#include "suites/cudnn/build_plans.h"

#include <memory>
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

/// Writes the plan into `text`.
class TextBuilder final : public PlanBuilder {
 public:
  TextBuilder(const std::string& device, std::string& text) : target_(device), text_(text) {}

  std::shared_future<Descriptor> begin(std::shared_ptr<const EngineChoice> choice,
                                       const harness::Variant&) override {
    text_ = plan_text(make_plan(*choice, target_));
    return {};
  }

 private:
  Target target_;
  std::string& text_;
};

std::string built(const SolverTable& table, const std::string& device, const std::string& name) {
  const harness::Variant variant = variant_named(name);
  nvidia::LazyContext no_gpu{nvidia::CudaOptions()};
  std::string text;
  Library library(no_gpu, Target(device), std::make_unique<TextBuilder>(device, text));
  for (const auto& solver : table.of(variant.problem)) {
    if (!solver.expect || (solver.owns && !solver.owns(variant.algorithm))) continue;
    solver.expect(library, variant.problem, variant);
    if (!text.empty()) return text;
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
