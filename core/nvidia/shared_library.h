#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>

namespace benanza::nvidia {

/// A library that is loaded at run time if it is available.
class SharedLibrary {
 public:
  /// Loads the first of `names` that the loader finds. Throws std::runtime_error with the message
  /// of dlerror().
  explicit SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      handle_.reset(dlopen(name, RTLD_NOW | RTLD_LOCAL));
      if (handle_) return;
    }
    throw std::runtime_error(dlerror());
  }

  /// Returns the function `name`. Throws std::runtime_error if the library lacks it.
  template <class Function>
  Function* symbol(const char* name) const {
    void* address = dlsym(handle_.get(), name);
    if (address == nullptr) throw std::runtime_error(std::string("no function ") + name);
    return reinterpret_cast<Function*>(address);
  }

 private:
  struct Close {
    void operator()(void* handle) const noexcept { dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace benanza::nvidia
