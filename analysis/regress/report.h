#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/regress/gate.h"
#include "analysis/render/page.h"

namespace benanza::regress {

using analysis::Section;

/// A line for a shell that measures a unit again, on the side that is slower.
using Reproducer = std::function<std::string(const Judged&)>;

/// The table of all verdicts, and a line for each regression.
Section gate_section(const GateAnswer& answer, const GateOptions& options,
                     const Reproducer& reproducer);
/// A suite of JUnit's XML: a test for each unit with a verdict, and one for all of them together;
/// regressions are failures.
std::string junit_suite(std::string_view backend, const GateAnswer& answer,
                        const GateOptions& options, const Reproducer& reproducer);

}  // namespace benanza::regress
