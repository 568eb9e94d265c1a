#include "suites/tests/cases/case_tests.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace benanza::harness {

std::vector<Case> cases_in(const std::string& folder, const std::string& filter) {
  std::vector<Case> all;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::filesystem::path& file = entry.path();
      if (file.extension() != ".cases" || (!filter.empty() && file.stem() != filter)) continue;
      std::ranges::copy(read_cases(file), std::back_inserter(all));
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    std::exit(1);
  }
  if (all.empty()) {
    std::cerr << folder << ": no cases\n";
    std::exit(1);
  }
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const Case& one = info.param;
  const std::string text = text_of(one);
  std::string name = one.file.stem().string() + '_' + text.substr(0, text.find(" -> "));
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

int expect_case(Backend& backend, const Case& one, AlgorithmSet set, const Attempt& attempt) {
  int tried = 0;
  const CasePlan plan = plan_cases(backend, {}, {.algorithms = set}, std::vector{one});
  const auto rows_of = [&](const std::string& name) {
    const auto variant = std::ranges::find(plan.variants, name, &NamedVariant::name);
    if (variant->status != Status::ok) {
      return std::vector<CaseRow>{{name, variant->status, variant->reason}};
    }
    ++tried;
    return std::vector<CaseRow>{attempt(*variant)};
  };
  for (const std::string& line : unexpected(plan.cases, rows_of)) ADD_FAILURE() << line;
  return tried;
}

int expect_offer(Backend& backend, const Case& one) {
  return expect_case(backend, one, AlgorithmSet::all, [&](const NamedVariant& variant) -> CaseRow {
    try {
      backend.way(variant.variant);
      return {variant.name, Status::ok, ""};
    } catch (const Unsupported& refusal) {
      return {variant.name, Status::unsupported, refusal.what()};
    } catch (const NoDevice&) {
      // Whether it runs can be told only there.
      return {variant.name, Status::ok, ""};
    }
  });
}

void PrintTo(const Case& one, std::ostream* out) { *out << place_of(one) << ": " << text_of(one); }

}  // namespace benanza::harness
