#pragma once

#include <vector>

#include "analysis/recordings/device_profile.h"

namespace benanza::analysis {

/// Of every process and device that did something, in the order of their numbers.
std::vector<DeviceTime> device_times(const DeviceRecording& recording, const Launches& launches);

}  // namespace benanza::analysis
