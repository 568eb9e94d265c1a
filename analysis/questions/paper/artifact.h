#pragma once

#include <filesystem>
#include <string>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {

/// Writes index.html, tables/<name>.csv and figures/<number>_<title>.svg into `folder`, creating it
/// if needed, and removes other .csv and .svg files in tables/ and figures/. Deterministic: equal
/// studies give identical bytes. Throws Error if no chapter has data or a file cannot be written.
void write_paper(const Study& study, const std::string& title, const std::filesystem::path& folder);

}  // namespace benanza::analysis
