#include "analysis/profiles/file/byte_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

namespace fs = std::filesystem;

/// The name of the part after `name`, by the number or letters it ends with; empty if it ends with
/// neither.
std::string next_part(std::string name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string_view ending = std::string_view(name).substr(dot + 1);
  const bool letters =
      std::ranges::all_of(ending, [](char letter) { return letter >= 'a' && letter <= 'z'; });
  const char last = letters ? 'z' : '9';
  const char first = letters ? 'a' : '0';
  for (std::size_t i = name.size(); i-- > dot + 1;) {
    if (name[i] < first || name[i] > last) return "";
    if (name[i] != last) {
      ++name[i];
      return name;
    }
    name[i] = first;
  }
  return "";
}

/// The name says that it is the first of several parts.
bool is_first_part(const fs::path& path) {
  std::string ending = path.extension().string();
  if (ending.starts_with('.')) ending.erase(0, 1);
  const bool says_part = ending.starts_with("part");
  if (says_part) ending.erase(0, 4);
  // Short numbers may be those of ranks, each with a trace of its own.
  constexpr std::size_t least_digits = 3;
  if (ending.empty()) return false;
  if (ending.find_first_not_of('a') == std::string::npos) return ending.size() > 1;
  if (!says_part && ending.size() < least_digits) return false;
  const char last = ending.back();
  ending.pop_back();
  return (last == '0' || last == '1') && ending.find_first_not_of('0') == std::string::npos;
}

class Files : public ByteSource {
 public:
  explicit Files(fs::path path) : path_(std::move(path)), has_parts_(is_first_part(path_)) {
    open();
  }

  std::size_t read(char* to, std::size_t most) override {
    std::size_t got = 0;
    while (got < most) {
      got += std::fread(to + got, 1, most - got, file_.get());
      if (std::ferror(file_.get()) != 0) {
        throw Error(std::string("cannot read: ") + std::strerror(errno));
      }
      if (got == most || !next()) break;
    }
    return got;
  }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open() {
    errno = 0;
    file_.reset(std::fopen(path_.c_str(), "rb"));
    if (!file_) throw Error(std::string("cannot open: ") + std::strerror(errno));
  }
  bool next() {
    if (!has_parts_) return false;
    const std::string name = next_part(path_.filename().string());
    if (name.empty()) return false;
    if (!fs::exists(path_.parent_path() / name)) {
      const std::string after = next_part(name);
      if (after.empty() || !fs::exists(path_.parent_path() / after)) return false;
      throw Error("is in parts, of which " + name + " is missing and " + after + " is there");
    }
    path_.replace_filename(name);
    open();
    return true;
  }

  fs::path path_;
  bool has_parts_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Bytes of a source with some in hand.
class Buffered : public ByteSource {
 public:
  explicit Buffered(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  /// At least so many bytes, if there are; they stay.
  std::string_view peek(std::size_t wanted) {
    if (held_.size() - begin_ < wanted) {
      held_.erase(0, begin_);
      begin_ = 0;
      const std::size_t had = held_.size();
      held_.resize(had + std::max(wanted, block));
      held_.resize(had + source_->read(held_.data() + had, held_.size() - had));
    }
    return std::string_view(held_).substr(begin_);
  }
  void skip(std::size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
  }
  /// Of the next byte, from the start of the source.
  std::uint64_t position() const { return position_; }

  std::size_t read(char* to, std::size_t most) override {
    const std::size_t kept = std::min(most, held_.size() - begin_);
    std::memcpy(to, held_.data() + begin_, kept);
    begin_ += kept;
    const std::size_t got = kept + (kept < most ? source_->read(to + kept, most - kept) : 0);
    position_ += got;
    return got;
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 18;

  std::unique_ptr<ByteSource> source_;
  std::string held_;
  std::size_t begin_ = 0;
  std::uint64_t position_ = 0;
};

/// zlib's inflate; `kind` says gzip or zip.
class Inflater {
 public:
  Inflater(int window_bits, const char* kind) : kind_(kind) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw Error("zlib does not start");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Returns false at the end of what was compressed as one, which is then skipped.
  bool inflate_some(Buffered& from, char* to, std::size_t most, std::size_t& got) {
    const std::string_view packed = from.peek(1);
    // zlib's interface is not const; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    const auto room = static_cast<uInt>(std::min(most, std::size_t{1} << 30));
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    from.skip(packed.size() - stream_.avail_in);
    got = room - stream_.avail_out;
    if (status == Z_STREAM_END) return false;
    if (packed.empty() && got == 0) {
      throw Error(fmt::format("is a {} file cut short at byte {}", kind_, from.position()));
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
      throw Error(fmt::format("is a damaged {} file, at byte {}", kind_, from.position()));
    }
    return true;
  }
  void restart() { inflateReset(&stream_); }

 private:
  const char* kind_;
  z_stream stream_{};
};

class Gunzipped : public ByteSource {
 public:
  explicit Gunzipped(std::unique_ptr<Buffered> from) : from_(std::move(from)) {}

  std::size_t read(char* to, std::size_t most) override {
    std::size_t all = 0;
    while (all < most && !ended_) {
      std::size_t got = 0;
      const bool more = inflater_.inflate_some(*from_, to + all, most - all, got);
      all += got;
      if (more) continue;
      inflater_.restart();
      // What follows the last member is padding.
      ended_ = !from_->peek(2).starts_with("\x1f\x8b");
    }
    return all;
  }

 private:
  static constexpr int gzip_header = 16;
  std::unique_ptr<Buffered> from_;
  Inflater inflater_{MAX_WBITS + gzip_header, "gzip"};
  bool ended_ = false;
};

/// The only file of an archive. Its sizes may stand behind it, so only its data say where it ends.
class Unzipped : public ByteSource {
 public:
  explicit Unzipped(std::unique_ptr<Buffered> from) : from_(std::move(from)) {
    while (header()) {
    }
  }

  std::size_t read(char* to, std::size_t most) override {
    std::size_t all = 0;
    while (all < most && !ended_) {
      std::size_t got = 0;
      if (is_stored_) {
        got = from_->read(to + all, std::min<std::size_t>(most - all, stored_));
        stored_ -= got;
        if (got == 0 && stored_ > 0) throw Error("is a zip file cut short");
        ended_ = stored_ == 0;
      } else {
        ended_ = !inflater_.inflate_some(*from_, to + all, most - all, got);
      }
      sum_ = crc32(sum_, reinterpret_cast<const Bytef*>(to + all), static_cast<uInt>(got));
      all += got;
      if (ended_) {
        require_sum();
        require_last();
      }
    }
    return all;
  }

 private:
  static std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
  }

  /// Reads the header of a file; returns true for that of a folder.
  bool header() {
    constexpr std::size_t size = 30;
    std::string_view head = from_->peek(size);
    if (head.size() < size || !head.starts_with("PK\x03\x04")) {
      throw Error("is a zip file without a file in it");
    }
    const std::uint32_t flags = number(head, 6, 2);
    const std::uint32_t method = number(head, 8, 2);
    expected_sum_ = number(head, 14, 4);
    stored_ = number(head, 18, 4);
    const std::size_t name_size = number(head, 26, 2);
    const std::size_t all = size + name_size + number(head, 28, 2);
    head = from_->peek(all);
    if (head.size() < all) throw Error("is a zip file cut short");
    const std::string name(head.substr(size, name_size));
    from_->skip(all);
    constexpr std::uint32_t encrypted = 1;
    constexpr std::uint32_t sizes_behind = 8;
    is_stored_ = method == 0;
    has_sum_behind_ = (flags & sizes_behind) != 0;
    const bool known = method == Z_DEFLATED || (is_stored_ && (flags & sizes_behind) == 0);
    if ((flags & encrypted) != 0 || !known) {
      throw Error("is a zip file packed in a way that is not read here: unpack " + name);
    }
    if (!name.ends_with('/')) return false;
    skip_folder((flags & sizes_behind) != 0);
    return true;
  }

  /// Some writers pack the nothing that a folder holds.
  void skip_folder(bool has_sizes_behind) {
    constexpr std::size_t most = 64;
    if (!has_sizes_behind && stored_ <= most && from_->peek(stored_).size() >= stored_) {
      return from_->skip(stored_);
    }
    throw Error("is a zip file with folders: unpack it, and name one file");
  }

  void require_sum() {
    constexpr std::size_t most = 8;
    const std::string_view rest = has_sum_behind_ ? from_->peek(most) : std::string_view();
    // A mark may stand before the sum.
    const std::size_t at = rest.starts_with("PK\x07\x08") ? 4 : 0;
    if (has_sum_behind_ && rest.size() < at + 4) throw Error("is a zip file cut short");
    if (sum_ == (has_sum_behind_ ? number(rest, at, 4) : expected_sum_)) return;
    throw Error(fmt::format("is a damaged zip file: its checksum is another one, at byte {}",
                            from_->position()));
  }

  /// Behind the data, perhaps after their sizes, the archive's list follows.
  void require_last() {
    constexpr std::size_t longest_sizes = 24;
    const std::string_view rest = from_->peek(longest_sizes + 4).substr(0, longest_sizes + 4);
    if (rest.find("PK\x03\x04") != std::string_view::npos) {
      throw Error("is a zip file with several files: unpack it, and name one");
    }
  }

  std::unique_ptr<Buffered> from_;
  Inflater inflater_{-MAX_WBITS, "zip"};
  bool is_stored_ = false;
  bool has_sum_behind_ = false;
  std::uint32_t expected_sum_ = 0;
  uLong sum_ = crc32(0, nullptr, 0);
  std::size_t stored_ = 0;
  bool ended_ = false;
};

constexpr std::size_t block = std::size_t{1} << 20;

}  // namespace

OpenedSource open_source(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw Error(path.string() + ": is a folder, not a file");
  constexpr std::size_t most_layers = 3;
  try {
    auto bytes = std::make_unique<Buffered>(std::make_unique<Files>(path));
    bool is_compressed = false;
    std::string_view start = bytes->peek(4);
    // What is packed may be packed once more: a trace.json.gz in a zip file.
    for (std::size_t layer = 0; layer < most_layers; ++layer) {
      if (start.starts_with("\x1f\x8b")) {
        bytes = std::make_unique<Buffered>(std::make_unique<Gunzipped>(std::move(bytes)));
      } else if (start.starts_with("PK\x03\x04")) {
        bytes = std::make_unique<Buffered>(std::make_unique<Unzipped>(std::move(bytes)));
      } else {
        break;
      }
      is_compressed = true;
      start = bytes->peek(4);
    }
    constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"\x28\xb5\x2f\xfd", "zstd"},
        {"\x04\x22\x4d\x18", "lz4"},
        {"\xfd\x37zX", "xz"},
        {"BZh", "bzip2"},
        {"7z\xbc\xaf", "7-Zip"}};
    if (start.starts_with("PK\x05\x06")) throw Error("is a zip file without a file in it");
    for (const auto& [mark, name] : others) {
      if (!start.starts_with(mark)) continue;
      throw Error("is packed with " + std::string(name) + ", which is not read here: unpack it");
    }
    return {std::move(bytes), is_compressed};
  } catch (const Error& reason) {
    throw Error(path.string() + ": " + reason.what());
  }
}

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
