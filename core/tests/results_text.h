#pragma once

#include <string>

namespace benanza::test {

/// The text of a results file; `rows`: comma-separated JSON objects.
inline std::string results_text(const std::string& rows, const std::string& threads = "2",
                                const std::string& backend = "onednn") {
  return R"({"context": {"date": "today", "num_cpus": 2, "benanza": {"schema": 1, "backend": ")" +
         backend + R"(", "system": {"threads": ")" + threads + R"(", "cpu_model": "a CPU"}}},
"benchmarks": [)" +
         rows + "]}";
}

/// An ok row; `samples` as in JSON, in seconds.
inline std::string row(const std::string& name, const std::string& samples) {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "repetition_index": 0, "iterations": 30, "real_time": 7.0,
"cpu_time": 7.0, "time_unit": "us", "status": "ok", "samples": )" +
         samples + "}";
}

}  // namespace benanza::test
