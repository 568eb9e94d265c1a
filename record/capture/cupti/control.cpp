#include "record/capture/cupti/control.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <utility>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"

namespace benanza::record {

Control::Words* Control::map(const std::filesystem::path& file, int flags) noexcept {
  const FileDescriptor descriptor(::open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0600));
  if (descriptor.get() < 0) return nullptr;
  if ((flags & O_CREAT) != 0 && ::ftruncate(descriptor.get(), sizeof(Words)) != 0) return nullptr;
  void* const address =
      ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  return address == MAP_FAILED ? nullptr : static_cast<Words*>(address);
}

Control Control::create(const std::filesystem::path& file) {
  Words* const words = map(file, O_CREAT | O_EXCL);
  if (words == nullptr) throw Error(file.string() + ": cannot be made; record into another folder");
  return Control(words);
}

Control Control::open(const std::filesystem::path& file) noexcept { return Control(map(file, 0)); }

Control::Control(Control&& other) noexcept : words_(std::exchange(other.words_, nullptr)) {}

Control::~Control() {
  if (words_ != nullptr) ::munmap(words_, sizeof(Words));
}

}  // namespace benanza::record
