#include "suites/tests/onednn/support.h"
#include "suites/tests/asked.h"

namespace benanza::onednn {

std::vector<Offered> offered(harness::Backend& backend, const std::string& key, Precision precision,
                             harness::AlgorithmSet set) {
  const Problem problem = parse(key);
  std::vector<Offered> all;
  for (const Layout layout : backend.layouts(problem)) {
    Offered one{.variant = {problem, precision, layout, {}}, .algorithms = {}, .refusal = {}};
    try {
      one.algorithms = harness::algorithms(backend, problem, precision, layout, set);
    } catch (const harness::Unsupported& refusal) {
      one.refusal = refusal.what();
    }
    all.push_back(one);
  }
  return all;
}

std::vector<harness::Variant> variants(harness::Backend& backend, const std::string& key,
                                       Precision precision, harness::AlgorithmSet set) {
  std::vector<harness::Variant> all;
  for (const Offered& one : offered(backend, key, precision, set)) {
    for (const harness::Algorithm& algorithm : one.algorithms) {
      all.push_back(one.variant);
      all.back().algorithm = algorithm;
    }
  }
  return all;
}

std::string name_of(const harness::Variant& variant) {
  return key(variant.problem) + " " + std::string(to_string(variant.precision)) + " " +
         std::string(to_string(variant.layout)) + " " + variant.algorithm;
}

// An instruction set's number has the bits of those that it contains.
bool has_instructions(dnnl::cpu_isa wanted) {
  const auto bits = static_cast<unsigned>(wanted);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

}  // namespace benanza::onednn
