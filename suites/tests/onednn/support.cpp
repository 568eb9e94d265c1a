#include "suites/tests/onednn/support.h"

namespace benanza::testing {

std::vector<Offered> offered(Backend& backend, const std::string& key, Precision precision,
                             AlgorithmSet set) {
  const Problem problem = parse(key);
  std::vector<Offered> all;
  for (const Layout layout : backend.layouts(problem)) {
    Offered one{.variant = {problem, precision, layout, {}}, .algorithms = {}, .refusal = {}};
    try {
      one.algorithms = backend.algorithms(problem, precision, layout, set);
    } catch (const Unsupported& refusal) {
      one.refusal = refusal.what();
    }
    all.push_back(one);
  }
  return all;
}

std::vector<Variant> variants(Backend& backend, const std::string& key, Precision precision,
                              AlgorithmSet set) {
  std::vector<Variant> all;
  for (const Offered& one : offered(backend, key, precision, set)) {
    for (const Algorithm& algorithm : one.algorithms) {
      all.push_back(one.variant);
      all.back().algorithm = algorithm;
    }
  }
  return all;
}

std::string name_of(const Variant& variant) {
  return key(variant.problem) + " " + std::string(to_string(variant.precision)) + " " +
         std::string(to_string(variant.layout)) + " " + variant.algorithm;
}

}  // namespace benanza::testing
