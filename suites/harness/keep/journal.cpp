#include "suites/harness/keep/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/file_descriptor.h"

namespace benanza::harness {

Journal::Journal(std::filesystem::path path) : path_(std::move(path)) {
  try {
    lock();
    load();
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() {
  if (::lseek(descriptor_, 0, SEEK_END) == 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void Journal::fail(std::string_view what) const {
  throw Error(path_.string() + ": " + std::string(what) + ": " + std::strerror(errno));
}

void Journal::lock() {
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
    if (descriptor_ < 0) fail("cannot open");
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail("cannot lock");
      throw InUse(path_.string() +
                  ": another process writes these results now; wait for it or name another file");
    }
    // The previous holder may have deleted the file between our open() and our flock().
    struct stat ours {};
    struct stat current {};
    if (::fstat(descriptor_, &ours) == 0 && ::stat(path_.c_str(), &current) == 0 &&
        ours.st_ino == current.st_ino && ours.st_dev == current.st_dev) {
      return;
    }
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

void Journal::load() {
  const std::string text = read_file(path_);
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines_.push_back(text.substr(begin, end - begin));
  }
  if (begin < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(begin)) != 0) {
    fail("cannot repair its last line");
  }
}

bool Journal::sync() {
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < std::chrono::seconds(1)) return true;
  synced_ = now;
  return ::fdatasync(descriptor_) == 0;
}

void Journal::append(std::string_view line) {
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  const std::string text = std::string(line) + '\n';
  if (write_all(descriptor_, text) && sync()) return;
  const int reason = errno;
  // If truncating fails, too, the next load() drops the incomplete line.
  [[maybe_unused]] const int ignored = end < 0 ? 0 : ::ftruncate(descriptor_, end);
  errno = reason;
  fail("cannot write");
}

void Journal::clear() {
  if (::ftruncate(descriptor_, 0) != 0) fail("cannot clear");
  lines_.clear();
}

}  // namespace benanza::harness
