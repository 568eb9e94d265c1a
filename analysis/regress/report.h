#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/regress/gate.h"
#include "analysis/regress/layer_names.h"
#include "analysis/render/page.h"

namespace benanza::regress {

using analysis::Section;

/// Returns a shell command that measures a unit again, on the after side.
using Reproducer = std::function<std::string(const Judged&)>;

/// Returns the table of all verdicts and a command for each regression. `layers`: none if no models
/// were compared.
Section gate_section(const GateAnswer& answer, const GateOptions& options,
                     const Reproducer& reproducer, const LayersOf& layers = nullptr);
/// Returns a JUnit XML suite: a test for each unit with a verdict, and one for all of them
/// together. Regressions are failures.
std::string junit_suite(std::string_view backend, const GateAnswer& answer,
                        const GateOptions& options, const Reproducer& reproducer,
                        const LayersOf& layers = nullptr);
/// Returns GitHub's workflow commands, a line each: an error for each regression, a warning if the
/// rounds do not settle whether it is one.
std::string github_annotations(std::string_view backend, const GateAnswer& answer,
                               const GateOptions& options, const LayersOf& layers = nullptr);

}  // namespace benanza::regress
