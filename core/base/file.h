#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace benanza {

/// The whole contents of `path`. Throws Error naming the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// `size` bytes of `path`, starting at `offset`. Throws Error naming the path if it cannot be read
/// or is too short.
std::string read_part(const std::filesystem::path& path, std::uint64_t offset, std::size_t size);

/// Writes `text` to a temporary file beside `path`, flushes it to disk, then renames it: a reader
/// sees the old file or the new one, never a part. A symbolic link is kept and its target replaced.
/// Throws Error and removes the temporary file on failure; also throws Error if `path` exists and
/// is not a regular file.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Like write_file, but leaves a file that already holds `text` untouched. Returns true if it
/// wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view text);

/// Creates `path` and its parents. Throws Error naming the path if that fails.
void make_directories(const std::filesystem::path& path);

}  // namespace benanza
