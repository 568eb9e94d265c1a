#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "suites/harness/choose/case_plan.h"

/// Tests of a suite's files of cases: INSTANTIATE_TEST_SUITE_P(All, X, ValuesIn(cases_in(FOLDER)),
/// case_name).
namespace benanza::harness {

/// The cases of the folder's files, whose names are FILTER.cases if a filter is given. Ends the
/// program, with one line, if one of them is not a file of cases or none is there.
std::vector<Case> cases_in(const std::string& folder, const std::string& filter = "");

/// "operators_relu_8_fp32", of the file and the line's words.
std::string case_name(const testing::TestParamInfo<Case>& info);

/// Tries a variant that the library offers.
using Attempt = std::function<CaseRow(const NamedVariant&)>;

/// Tries all variants of the case and fails if what happens is not expected. Returns how many were
/// tried.
int expect_case(Backend& backend, const Case& one, AlgorithmSet set, const Attempt& attempt);

/// expect_case() of what is known without running a call: it exists, or is refused in words.
int expect_offer(Backend& backend, const Case& one);

void PrintTo(const Case& one, std::ostream* out);

}  // namespace benanza::harness
