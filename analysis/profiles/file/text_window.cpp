#include "analysis/profiles/file/text_window.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

}  // namespace

TextWindow::TextWindow(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) {
    throw Error(path_.string() + ": is a folder, not a file");
  }
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_) throw Error(path_.string() + ": cannot open: " + std::strerror(errno));
  gzbuffer(file_.get(), 1U << 18);
}

bool TextWindow::read_more() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // Doubling keeps the time linear if one value needs many blocks.
  const std::size_t wanted = std::clamp(end_, block, std::size_t{1} << 30);
  if (buffer_.size() < end_ + wanted + padding) buffer_.resize(end_ + wanted + padding);
  const int got = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(wanted));
  int status = Z_OK;
  const std::string reason = gzerror(file_.get(), &status);
  if (got < 0 || (static_cast<std::size_t>(got) < wanted && status != Z_OK)) {
    if (status == Z_BUF_ERROR) throw Error(path_.string() + ": is a gzip file cut short");
    if (status == Z_DATA_ERROR) throw Error(path_.string() + ": is a damaged gzip file");
    throw Error(path_.string() + ": cannot read: " + reason);
  }
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

}  // namespace benanza::analysis
