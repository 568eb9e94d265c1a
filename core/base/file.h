#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace benanza {

/// Whole contents of `path`. Throws Error naming the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// `size` bytes of `path` from `offset` on. Throws Error naming the path if they are not there.
std::string read_part(const std::filesystem::path& path, std::uint64_t offset, std::size_t size);

/// Writes `text` to a temporary name beside `path`, flushes it to disk, then renames: a reader sees
/// the old file or the new one, never a part. A symbolic link stays one. Throws Error and removes
/// the temporary on failure, and refuses what is there and no regular file.
void write_file(const std::filesystem::path& path, std::string_view text);

/// As write_file, but leaves a file that already holds `text` alone. Returns true if it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view text);

/// Creates `path` and its parents. Throws Error naming the path if that fails.
void make_directories(const std::filesystem::path& path);

}  // namespace benanza
