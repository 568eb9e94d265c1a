#include "analysis/profiles/file/text_window.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

}  // namespace

TextWindow::TextWindow(std::filesystem::path path)
    : path_(std::move(path)), source_(open_source(path_)) {}

bool TextWindow::read_more() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // Doubling keeps the time linear if one value needs many blocks.
  const std::size_t wanted = std::clamp(end_, block, std::size_t{1} << 30);
  if (buffer_.size() < end_ + wanted + padding) buffer_.resize(end_ + wanted + padding);
  try {
    const std::size_t got = source_.bytes->read(buffer_.data() + end_, wanted);
    end_ += got;
    return got > 0;
  } catch (const Error& reason) {
    throw Error(path_.string() + ": " + reason.what());
  }
}

}  // namespace benanza::analysis
