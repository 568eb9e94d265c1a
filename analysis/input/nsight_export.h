#pragma once

#include <filesystem>

#include "record/store/device_reader.h"

namespace benanza::analysis {

/// Throws Error, which says how to export it, if the name is that of a report that Nsight Systems
/// keeps in a format of its own (.nsys-rep, .qdrep).
void refuse_nsight_report(const std::filesystem::path& path);

/// True for an SQLite file.
bool is_sqlite_file(const std::filesystem::path& path);

/// True for an SQLite file that Nsight Systems exported (or nvprof wrote): it has tables of CUPTI's
/// activities. Throws Error if the file cannot be read.
bool is_nsight_export(const std::filesystem::path& path);

/// Reads kernels, copies, graphs timed as a whole, calls of CUDA and NVTX ranges of such a file,
/// whatever its columns are called and whichever of them it has. Times are from the first event.
/// Throws Error.
DeviceRecording read_nsight_export(const std::filesystem::path& path);

}  // namespace benanza::analysis
