#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/problem/name.h"
#include "suites/cublas/backend.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/backend.h"
#include "suites/cudnn/graph/plan_processes.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/registration.h"
#include "suites/nvidia/device/check.h"
#include "suites/nvidia/main/suite_main.h"
#include "suites/verify/verification_cases.h"

namespace benanza::cudnn {
namespace {

harness::Variant variant_named(const std::string& text) {
  VariantName name = parse_variant_name(text);
  return {parse(name.key), name.precision, name.layout, std::move(name.algorithm)};
}

/// Builds synchronously. Stores the plan's text in `text`: empty if it cannot be serialized.
class TextBuilder final : public PlanBuilder {
 public:
  TextBuilder(cudnnHandle_t handle, std::optional<std::string>& text)
      : target_(handle), text_(text) {}

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

  std::shared_future<std::optional<std::string>> ask(const harness::Variant&, harness::AlgorithmSet,
                                                     std::shared_ptr<Claim>) override {
    return {};
  }

 private:
  Target target_;
  std::optional<std::string>& text_;
};

std::optional<std::string> built(const WayTable& table, cudnnHandle_t handle,
                                 const std::string& name) {
  const harness::Variant variant = variant_named(name);
  nvidia::LazyContext not_opened{nvidia::CudaOptions()};
  std::optional<std::string> text;
  Library library(not_opened, Target(handle), std::make_unique<TextBuilder>(handle, text));
  const auto found = table.find(library, variant);
  if (found && found->way.prefetch) found->way.prefetch();
  if (!text) throw std::runtime_error(name + " is no engine that is compiled");
  return text->empty() ? std::nullopt : text;
}

/// Functions are asked for, too, and refused: they need the device.
std::string engines_of(const WayTable& table, cudnnHandle_t handle, const Question& question) {
  nvidia::LazyContext not_opened{nvidia::CudaOptions()};
  Library library(not_opened, Target(handle), nullptr);
  for (const auto& family : table.of(question.prototype.problem)) {
    try {
      family.ways(library, question.prototype.problem, question.prototype, question.set);
    } catch (const harness::Unsupported&) {
      // Recorded next to the names that other families found.
    } catch (const harness::NoDevice&) {
      // A function's.
    }
  }
  return answer_text(library.graph_plans().found());
}

/// The main function of PlanProcess's child: builds plans and answers questions for the device that
/// it is sent. Returns the exit status.
int build_plans_for_others() {
  return answer_requests([](int device) {
    nvidia::check(cudaSetDevice(device), "cudaSetDevice");
    const auto handle = std::make_shared<LibraryHandle>(make_library_handle());
    return [handle, table = way_table()](const std::string& request) {
      return is_question(request) ? engines_of(table, handle->get(), parse_question(request))
                                  : built(table, handle->get(), request);
    };
  });
}

}  // namespace
}  // namespace benanza::cudnn

int main(int argc, char** argv) {
  using namespace benanza;
  if (argc == 2 && argv[1] == cudnn::plan_process_flag) return cudnn::build_plans_for_others();
  return nvidia::suite_main(argc, argv,
                            {.backend = nvidia::make_backend<cudnn::CudnnBackend>,
                             .products = nvidia::make_backend<cublas::CublasBackend>},
                            registration(), verify::verifier());
}
