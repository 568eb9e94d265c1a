#pragma once

#include <filesystem>
#include <string>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {

/// Writes index.html, tables/<name>.csv and figures/<number>_<title>.svg into `folder`, made if it
/// is not there, and removes what an earlier run left in tables/ and figures/. The same study makes
/// the same bytes. Throws Error where there is nothing to tell, or a file cannot be written.
void write_paper(const Study& study, const std::string& title, const std::filesystem::path& folder);

}  // namespace benanza::analysis
