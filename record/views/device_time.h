#pragma once

#include <vector>

#include "record/store/device_reader.h"
#include "record/views/device_profile.h"

namespace benanza {

/// Returns the times of every process and device with any work, sorted by their numbers.
std::vector<DeviceTime> device_times(const DeviceRecording& recording, const Launches& launches);

/// The time of a framework's own kernels by what they compute together: a normalization, a rotation
/// of positions or a gated function that came apart into several kernels one after the other, where
/// copies and the libraries' kernels may lie between; any other kernel by its own operation. Rows
/// of the former say which call would do it. Sorted by time, descending.
std::vector<DeviceRow> framework_rows(const DeviceRecording& recording);

}  // namespace benanza
