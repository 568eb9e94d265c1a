#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/input/results.h"

namespace benanza::analysis {

enum class DeviceKind { processor, gpu };

/// Of a backend's system.
DeviceKind kind_of(const System& system);

/// Leaves out the results of processors or of GPUs if there are both: a bound that mixes their
/// calls is none, as nothing counts the copies between them. Keeps those of the device of `backend`
/// or, if that is empty, those of `wanted`, by default of the GPU. Returns sentences that say so,
/// one a line, after those of Results::doubled; empty if there are none. Throws Error if `backend`
/// is empty and two backends' GPUs differ.
std::string keep_one_device(Results& results, const std::string& backend,
                            std::optional<DeviceKind> wanted = std::nullopt);
/// The same for several results that are compared with each other: GPUs if all have results of
/// them, else processors.
std::string keep_one_device(std::span<Results* const> all, const std::string& backend);
/// What keep_one_device() leaves.
Results of_one_device(Results results, const std::string& backend,
                      std::optional<DeviceKind> wanted = std::nullopt);

}  // namespace benanza::analysis
