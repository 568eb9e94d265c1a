#pragma once

#include <string>
#include <vector>

#include "analysis/questions/history/chronicle.h"
#include "analysis/questions/history/fleet.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// Every station beside the one before: how many problems changed, and what all calls did.
Section versions_section(const std::vector<Station>& stations, const ChronicleOptions& options,
                         const Chronicle& chronicle);
/// Bounds of a model at all stations. Layers without a time at one of them are left out of all.
Section model_history_section(const std::vector<Station>& stations, const Graph& graph,
                              const MeasurementFilter& filter);
Section events_section(const std::vector<Station>& stations, const Chronicle& chronicle);
Section fleet_section(const std::vector<Station>& stations, const MeasurementFilter& filter,
                      const Fleet& fleet);

/// JUnit's documents: a test for each change, or for each machine.
std::string junit_of(const std::vector<Station>& stations, const Chronicle& chronicle);
std::string junit_of(const std::vector<Station>& stations, const std::vector<Fleet>& fleets);

}  // namespace benanza::analysis
