#pragma once

#include <optional>
#include <vector>

#include "analysis/questions/profile/recorded.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// What costs time in the recordings and what to do about it; empty if there is nothing.
std::optional<Points> profile_findings(const std::vector<Recorded>& recorded);

/// Reorders of weights in every step, for programs.
nlohmann::ordered_json reorder_facts(const Recorded& recorded);

}  // namespace benanza::analysis
