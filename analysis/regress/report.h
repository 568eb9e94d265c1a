#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/regress/gate.h"
#include "analysis/regress/model_gate.h"
#include "analysis/render/page.h"

namespace benanza::regress {

using analysis::Section;

/// Returns a shell command that measures a unit again, on the after side.
using Reproducer = std::function<std::string(const Judged&)>;

/// Returns a sentence for each model, the table of all verdicts and a command for each regression.
Section gate_section(const GateAnswer& answer, const GateOptions& options,
                     const Reproducer& reproducer, const OfModels& models = {});
/// Returns a JUnit XML suite: a test for each model, for each unit with a verdict, and one for all
/// of them together. Models that are worse are failures, and so are regressions, unless they are of
/// models of which none is worse.
std::string junit_suite(std::string_view backend, const GateAnswer& answer,
                        const GateOptions& options, const Reproducer& reproducer,
                        const OfModels& models = {});
/// Returns GitHub's workflow commands, a line each: an error for each failure as above; a warning
/// for other regressions, and if the rounds do not settle whether it is one.
std::string github_annotations(std::string_view backend, const GateAnswer& answer,
                               const GateOptions& options, const OfModels& models = {});

}  // namespace benanza::regress
