#include "core/nvidia/cupti.h"

namespace benanza::nvidia {

Cupti::Cupti(const char* library) {
  try {
    library_ = new SharedLibrary{library};
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
