#include "record/capture/cupti_library.h"

#include <dlfcn.h>

#include "record/capture/cupti/control.h"

namespace benanza::record {
namespace {

constexpr const char* library_name = "benanza-record-cupti.so";

}  // namespace

std::filesystem::path injected_library() {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& file :
       {here / library_name, here / ".." / BENANZA_LIBRARY_FOLDER / library_name}) {
    if (std::filesystem::is_regular_file(file, error)) {
      return std::filesystem::canonical(file, error);
    }
  }
  return {};
}

void list_kernel_counters(std::ostream& out, const std::optional<std::string>& chip) {
  const auto refuse = [](void* data, const char* reason) {
    *static_cast<std::ostream*>(data)
        << "No counters of kernels: " << reason
        << "; --list-counters GH100 lists those of an H100 or H200 on any machine\n";
  };
  const auto library = injected_library();
  if (library.empty()) {
    refuse(&out, "this benanza-record was built without CUDA");
    return;
  }
  // Never closed: CUPTI's threads outlive their users.
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const list = handle == nullptr ? nullptr : ::dlsym(handle, "benanza_list_counters");
  if (list == nullptr) {
    refuse(&out, ::dlerror());
    return;
  }
  const auto use = [](void* data, const char* name, const char* description, const char* endings) {
    *static_cast<std::ostream*>(data) << name << " (" << endings << "): " << description << '\n';
  };
  reinterpret_cast<ListCounters*>(list)(chip ? chip->c_str() : nullptr, use, refuse, &out);
}

}  // namespace benanza::record
