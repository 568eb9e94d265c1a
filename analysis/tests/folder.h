#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"

namespace benanza::test {

/// A folder of a test's own, gone with it.
class Folder {
 public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "benanza-analysis-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error(pattern + ": cannot create");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What `action` says when it throws Error; "" if it does not.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A file of the repository's recorded profiles and graphs.
inline std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(BENANZA_ANALYSIS_DATA) / name;
}

/// A results file of `rows`, each one JSON object.
inline std::string results_text(const std::string& rows, const std::string& threads = "2",
                                const std::string& backend = "onednn") {
  return R"({"context": {"date": "today", "num_cpus": 2, "benanza": {"schema": 1, "backend": ")" +
         backend + R"(", "system": {"threads": ")" + threads + R"(", "cpu_model": "a CPU"}}},
"benchmarks": [)" +
         rows + "]}";
}

/// An ok row; `samples` as in JSON, seconds.
inline std::string row(const std::string& name, const std::string& samples) {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "repetition_index": 0, "iterations": 30, "real_time": 7.0,
"cpu_time": 7.0, "time_unit": "us", "status": "ok", "samples": )" +
         samples + "}";
}

}  // namespace benanza::test
