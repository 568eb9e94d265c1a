#include "analysis/render/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/render/svg.h"

namespace benanza::analysis {

std::string junit_suite(std::string_view name, const std::vector<JunitCase>& cases) {
  std::string text;
  for (const JunitCase& one : cases) {
    const std::string failure = one.failure.empty()
                                    ? ""
                                    : fmt::format("<failure message=\"{}\">{}</failure>",
                                                  escaped(one.failure), escaped(one.detail));
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                        escaped(one.group), escaped(one.name), failure);
  }
  return fmt::format(
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuite>\n", escaped(name),
      cases.size(),
      std::ranges::count_if(cases, [](const JunitCase& one) { return !one.failure.empty(); }),
      text);
}

std::string junit_document(std::string_view suites) {
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{}</testsuites>\n",
                     suites);
}

}  // namespace benanza::analysis
