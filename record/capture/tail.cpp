#include "record/capture/tail.h"

#include <fcntl.h>

#include <cerrno>

namespace benanza::record {

Tail::Tail(const std::filesystem::path& file) : file_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {}

void Tail::read(const std::function<std::size_t(std::string_view bytes)>& use) {
  constexpr std::size_t step = std::size_t{1} << 20;
  while (file_.get() >= 0) {
    const std::size_t before = pending_.size();
    pending_.resize(before + step);
    const ssize_t count = ::pread(file_.get(), pending_.data() + before, step, offset_);
    pending_.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    offset_ += count;
    pending_.erase(0, use(pending_));
  }
}

void Tail::release() {
  constexpr std::int64_t block = 4096;
  const std::int64_t used = (offset_ - static_cast<std::int64_t>(pending_.size())) / block * block;
  if (file_.get() < 0 || used <= released_) return;
  // If the file system does not support this, the space is freed with the file.
  ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, released_, used - released_);
  released_ = used;
}

}  // namespace benanza::record
