#include "suites/nvidia/profiling/cupti.h"

namespace benanza::nvidia {

Cupti::Cupti() {
  try {
    library_ = new SharedLibrary{"libcupti.so.13"};
  } catch (const std::runtime_error& error) {
    throw ProfilerUnavailable(std::string("CUPTI: ") + error.what());
  }
}

void Cupti::check(CUptiResult result, const char* name) const {
  if (result == CUPTI_SUCCESS) return;
  const char* words = "unknown error";
  function<decltype(cuptiGetResultString)>("cuptiGetResultString")(result, &words);
  throw ProfilerUnavailable(std::string(name) + ": " + words);
}

}  // namespace benanza::nvidia
