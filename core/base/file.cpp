#include "core/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"

namespace benanza {
namespace {

void write_to_disk(int descriptor, std::string_view text, const std::filesystem::path& path) {
  if (!write_all(descriptor, text) || ::fsync(descriptor) != 0) {
    throw Error(path.string() + ": cannot write: " + std::strerror(errno));
  }
}

/// The file that a rename may replace: the target of a symbolic link, so that the link stays.
/// Throws Error if it exists and is not a regular file: a rename would destroy a device or a pipe.
std::filesystem::path target_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(path.string() + ": cannot write: not a regular file");
  }
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

FileDescriptor open_to_read(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw Error(path.string() + ": is a folder, not a file");
  }
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error(path.string() + ": cannot open: " + std::strerror(errno));
  return file;
}

std::string read_part(const std::filesystem::path& path, std::uint64_t offset, std::size_t size) {
  const FileDescriptor file = open_to_read(path);
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got =
        ::pread(file.get(), bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(path.string() + ": cannot read: " + std::strerror(errno));
    if (got == 0) {
      throw Error(path.string() + ": ends before byte " + std::to_string(offset + size) +
                  ": the file is not complete");
    }
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw Error(path.string() + ": is a folder, not a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path.string() + ": cannot open: " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw Error(path.string() + ": cannot read: " + std::strerror(errno));
  return text;
}

void write_file(const std::filesystem::path& link, std::string_view text) {
  const std::filesystem::path path = target_of(link);
  const std::filesystem::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  try {
    const FileDescriptor out(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (out.get() < 0) throw Error(path.string() + ": cannot write: " + std::strerror(errno));
    write_to_disk(out.get(), text, path);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
      throw Error(path.string() + ": cannot write: " + std::strerror(errno));
    }
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

bool write_file_if_changed(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) == text.size() && read_file(path) == text) {
    return false;
  }
  write_file(path, text);
  return true;
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(path.string() + ": cannot create the folder: " + error.message());
}

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
