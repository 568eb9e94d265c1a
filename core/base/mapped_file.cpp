#include "core/base/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"

namespace benanza {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileDescriptor file = open_to_read(path);
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) throw Error(path.string() + ": cannot read: " + std::strerror(errno));
  if (size == 0) return;
  size_ = static_cast<std::size_t>(size);
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) throw Error(path.string() + ": cannot map: " + std::strerror(errno));
  data_ = static_cast<const char*>(mapped);
  // No read-ahead: the next bytes are most likely skipped.
  ::madvise(mapped, size_, MADV_RANDOM);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::forget_before(const char* position) {
  constexpr std::size_t step = std::size_t{4} << 20;
  const std::size_t done = static_cast<std::size_t>(position - data_) / step * step;
  if (done <= forgotten_) return;
  ::madvise(const_cast<char*>(data_) + forgotten_, done - forgotten_, MADV_DONTNEED);
  forgotten_ = done;
}

}  // namespace benanza
