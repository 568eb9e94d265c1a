#pragma once

#include <cupti.h>

#include <cstddef>
#include <stdexcept>
#include <string>

#include "core/nvidia/shared_library.h"

namespace benanza::nvidia {

/// CUPTI cannot be used: it is not installed, another profiler is active, or the system forbids it.
class ProfilerUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The CUPTI library. It is never unloaded because its threads outlive its users.
class Cupti {
 public:
  /// `library`: its name or path. Throws ProfilerUnavailable if it cannot be loaded.
  explicit Cupti(const char* library = "libcupti.so.13");

  /// Calls a function of CUPTI by name. Throws ProfilerUnavailable with CUPTI's message.
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    check(function<Function>(name)(arguments...), name);
  }

  template <class Function>
  Function* function(const char* name) const {
    try {
      return library_->symbol<Function>(name);
    } catch (const std::runtime_error& error) {
      throw ProfilerUnavailable(std::string("CUPTI: ") + error.what());
    }
  }

 private:
  void check(CUptiResult result, const char* name) const;
  const SharedLibrary* library_;
};

/// A parameter struct of CUPTI with its size set.
template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

}  // namespace benanza::nvidia
