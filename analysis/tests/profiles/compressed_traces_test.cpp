// Traces in zip files and in parts.

#include <gmock/gmock.h>
#include <zlib.h>

#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::Folder;
using test::TraceWriter;
using testing::HasSubstr;

std::string compressed_trace_text() {
  TraceWriter trace;
  trace.op("aten::mm", {{64, 128}, {128, 32}}, {}, {{"gemm", 12}});
  return trace.json().dump(1);
}

std::string refusal(const std::filesystem::path& file) {
  return error_of([&] { read_profile(file); });
}

std::string bytes_of(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

/// A file of an archive.
std::string zipped(const std::string& name, const std::string& text, bool is_stored,
                   bool sizes_behind) {
  const std::string data = is_stored ? text : deflated(text);
  const std::string sum = bytes_of(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())), 4);
  const std::string sizes = bytes_of(data.size(), 4) + bytes_of(text.size(), 4);
  std::string file = "PK\x03\x04" + bytes_of(20, 2) + bytes_of(sizes_behind ? 8 : 0, 2) +
                     bytes_of(is_stored ? 0 : 8, 2) + bytes_of(0, 4);
  file += sizes_behind ? bytes_of(0, 12) : sum + sizes;
  file += bytes_of(name.size(), 2) + bytes_of(0, 2) + name + data;
  return sizes_behind ? file + "PK\x07\x08" + sum + sizes : file;
}

const std::string list = "PK\x01\x02 and what follows";

TEST(CompressedTraces, TheOnlyFileOfAnArchiveIsRead) {
  const Folder folder;
  const std::string text = compressed_trace_text();
  for (const std::string& file :
       {zipped("a.json", text, false, false), zipped("a.json", text, false, true),
        zipped("a.json", text, true, false),
        zipped("run/", "", true, false) + zipped("run/a.json", text, false, true)}) {
    EXPECT_EQ(read_profile(folder.write("a.zip", file + list)).nodes.size(), 1U);
  }
}

TEST(CompressedTraces, WhatIsPackedTwiceIsRead) {
  const Folder folder;
  const std::string text = compressed_trace_text();
  const std::string inner = zipped("a.json", text, false, false) + list;
  const auto file = folder.write("a.zip", zipped("a.zip", inner, true, false) + list);
  EXPECT_EQ(read_profile(file).nodes.size(), 1U);
  const std::string folder_packed = zipped("run/", "", false, false);
  EXPECT_EQ(read_profile(folder.write("a.zip", folder_packed + inner)).nodes.size(), 1U);
}

TEST(CompressedTraces, AnArchiveThatIsNotOneTraceIsRefused) {
  const Folder folder;
  const std::string one = zipped("a.json", compressed_trace_text(), false, false);
  EXPECT_THAT(refusal(folder.write("a.zip", one + one + list)), HasSubstr("several files"));
  EXPECT_THAT(refusal(folder.write("a.zip", one.substr(0, one.size() / 2))),
              HasSubstr("zip file cut short"));
  EXPECT_THAT(refusal(folder.write("a.zip", "PK\x05\x06" + std::string(18, '\0'))),
              HasSubstr("zip file without a file"));
  EXPECT_THAT(refusal(folder.write("a.zip", one.substr(0, 20))),
              HasSubstr("zip file without a file"));
  EXPECT_THAT(refusal(folder.write("a.zip", zipped("a.json", "x", true, true))),
              HasSubstr("unpack a.json"));
}

TEST(CompressedTraces, PartsAreReadOneAfterTheOther) {
  const Folder folder;
  const std::string text = compressed_trace_text();
  const std::string third = text.substr(0, text.size() / 3);
  const std::string rest = text.substr(third.size());
  for (const auto& [first, second] :
       std::vector<std::pair<std::string, std::string>>{{"t.json.aa", "t.json.ab"},
                                                        {"t.json.000", "t.json.001"},
                                                        {"t.json.001", "t.json.002"},
                                                        {"t.json.part1", "t.json.part2"}}) {
    folder.write(second, rest);
    EXPECT_EQ(read_profile(folder.write(first, third)).nodes.size(), 1U) << first;
    std::filesystem::remove(folder / second);
    EXPECT_THAT(refusal(folder / first), HasSubstr("cut short")) << first;
    std::filesystem::remove(folder / first);
  }
}

}  // namespace
}  // namespace benanza::analysis
