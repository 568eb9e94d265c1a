#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "suites/cublas/identity_product.h"
#include "suites/cublas/lt_batch.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/harness/primitive.h"

// Copies by cublasLtMatmul() with the first algorithms of its heuristic lists:
// "lt.identity64.result.a66.t20.s35.k1.r0.z0.o0.i0.c2", "lt.identity32.bytes.a66...".
namespace benanza::cublas {
namespace {

constexpr int listed = 8;
constexpr std::string_view name = "lt.identity";
/// The start of a choice's name, which `name` replaces.
constexpr std::string_view choice_start = "lt";

struct NamedChoice {
  IdentityWay way;
  LtChoice choice;
};

std::vector<LtChoice> choices(Library& library, const LtBatch& batch, Precision precision,
                              Unit unit) {
  return heuristics(library.lt(), batch.descriptors(),
                    unit == Unit::byte ? Precision::int8 : precision, library.lt_workspace_bytes(),
                    listed);
}

harness::Algorithm algorithm(const IdentityWay& way, const LtChoice& choice) {
  return std::string(name) + way.text() + choice.name.substr(choice_start.size());
}

/// The addresses are null: the list does not depend on them.
std::vector<harness::Algorithm> algorithms(Library& library, const Copy& shape,
                                           Precision precision) {
  std::vector<std::pair<int, harness::Algorithm>> ranked;
  std::string refusal;
  for (const IdentityWay& way : identity_ways(shape, precision, Bytes::yes)) {
    try {
      for (const LtChoice& choice :
           choices(library, LtBatch(identity_batch(shape, precision, way)), precision, way.unit)) {
        ranked.emplace_back(choice.rank, algorithm(way, choice));
      }
    } catch (const harness::EngineLost&) {
      throw;
    } catch (const std::runtime_error& words) {
      // An invalid value, too, means that the library does not do this: the copy's other calls must
      // be listed all the same.
      if (refusal.empty()) refusal = words.what();
    }
  }
  if (ranked.empty()) throw harness::Unsupported(refusal);
  // The first of every size before the second of any.
  std::ranges::stable_sort(ranked, {}, &std::pair<int, harness::Algorithm>::first);
  std::vector<harness::Algorithm> names;
  for (auto& [rank, text] : ranked) names.push_back(std::move(text));
  return names;
}

class LtBatchedProduct final : public IdentityProduct {
 public:
  LtBatchedProduct(Library& library, const Copy& shape, const harness::Variant& variant,
                   const IdentityWay& way)
      : IdentityProduct(library, shape, variant, way), products_(batch()) {
    for (LtChoice& choice : choices(library, products_, variant.precision, way.unit)) {
      if (algorithm(way, choice) != variant.algorithm) continue;
      choice_ = std::move(choice);
      workspace_ = library.cuda().workspace(choice_.workspace_bytes);
      return;
    }
    throw harness::Unsupported("cuBLASLt does not list " + variant.algorithm + " for this copy");
  }

  void run() override {
    const IdentityBatch& batch = this->batch();
    const LtDescriptors products = products_.descriptors();
    check(cublasLtMatmul(library().lt(), products.operation, batch.one, batch.first.addresses,
                         products.first, batch.second.addresses, products.second, batch.zero,
                         batch.results, products.residual, const_cast<void**>(batch.results),
                         products.result, &choice_.algorithm, workspace_->data(),
                         static_cast<std::size_t>(choice_.workspace_bytes), stream()),
          "cublasLtMatmul");
  }

 private:
  LtBatch products_;
  LtChoice choice_;
  std::shared_ptr<nvidia::DeviceMemory> workspace_;
};

}  // namespace

void register_movement_lt(SolverTable& table) {
  table.add<Copy>(
      {.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
       .algorithms =
           [](Library& library, const Copy& shape, const harness::Variant& prototype,
              harness::AlgorithmSet) { return algorithms(library, shape, prototype.precision); },
       .create =
           [](Library& library, const Copy& shape, const harness::Variant& variant) {
             for (const IdentityWay& way : identity_ways(shape, variant.precision, Bytes::yes)) {
               if (!variant.algorithm.starts_with(std::string(name) + way.text() + ".a")) continue;
               return std::make_unique<LtBatchedProduct>(library, shape, variant, way);
             }
             throw harness::Unsupported("no blocks for " + variant.algorithm);
           },
       .owns = [](const harness::Algorithm& algorithm) { return algorithm.starts_with(name); }});
}

}  // namespace benanza::cublas
