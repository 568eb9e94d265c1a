#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza::analysis {

/// A test in JUnit's XML.
struct JunitCase {
  /// The class name.
  std::string group{};
  std::string name{};
  /// Empty if it passed.
  std::string failure{};
  /// More about the failure; may have several lines.
  std::string detail{};
};

/// Return a suite, and the file of all suites.
std::string junit_suite(std::string_view name, const std::vector<JunitCase>& cases);
std::string junit_document(std::string_view suites);

}  // namespace benanza::analysis
