#pragma once

#include <vector>

#include "record/views/device_profile.h"

namespace benanza {

/// Returns the times of every process and device with any work, sorted by their numbers.
std::vector<DeviceTime> device_times(const DeviceRecording& recording, const Launches& launches);

}  // namespace benanza
