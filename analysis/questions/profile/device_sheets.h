#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/render/page.h"
#include "record/views/device_profile.h"

namespace benanza::analysis {

/// Columns with names of kernels are cut here: those of C++ templates can have thousands of
/// letters.
inline constexpr std::size_t kernel_width = 140;

/// What the tables of a profile are called where there are several recordings: "ms 2".
std::string numbered(const std::string& title, std::size_t recording, std::size_t recordings);
std::string numbered_name(const std::string& name, std::size_t recording, std::size_t recordings);

/// Adds share of `sum`, time, calls and mean; unknown without a time.
void add_share_cells(std::vector<Cell>& cells, std::optional<double> seconds, std::int64_t calls,
                     double sum);

/// Tables of what GPUs did, the recordings side by side; none where no recording has it. Empty
/// profiles are those of recordings without a GPU.
std::vector<Sheet> device_sheets(const std::vector<DeviceProfile>& profiles);

/// Rows of those tables that are by name, as the one table of CSV has them: by, then for every
/// recording share, seconds, calls and mean, then the name.
std::vector<std::vector<Cell>> device_csv_rows(const std::vector<DeviceProfile>& profiles);

/// "62.1% of 12.3 ms of kernels; 30.0% not; of 7.9% the names do not tell".
std::string tensor_core_text(const DeviceProfile& profile);

/// "of 12.3 ms in kernels of cuDNN, cuBLAS and cuBLASLt, 99.1% belong to calls whose problem is
/// known". There are such kernels.
std::string library_text(const DeviceProfile& profile);

/// All sums of a profile, for programs.
nlohmann::ordered_json device_facts(const DeviceProfile& profile);

}  // namespace benanza::analysis
