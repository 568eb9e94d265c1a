#include "core/base/gzip.h"

#include <gmock/gmock.h>

#include "core/base/document.h"
#include "core/tests/folder.h"

namespace benanza {
namespace {

using test::error_of;
using testing::HasSubstr;

// printf '{"a": 1}' | gzip -n | xxd -i
const std::string gzipped{
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x4a\x54\xb2\x52\x30\xac\x05\x00"
    "\x97\x8e\xa1\xfb\x08\x00\x00\x00",
    28};

TEST(Gzip, HoldsWhatWasPacked) {
  EXPECT_TRUE(is_gzip(gzipped));
  EXPECT_FALSE(is_gzip("{}"));
  EXPECT_EQ(gunzip(gzipped), R"({"a": 1})");
  EXPECT_EQ(gunzip(gzipped + gzipped), R"({"a": 1}{"a": 1})");  // members are joined
}

TEST(Gzip, CutShortOrDamagedIsAnError) {
  for (std::size_t size = 2; size < gzipped.size(); ++size) {
    EXPECT_THAT(error_of([&] { gunzip(gzipped.substr(0, size)); }), HasSubstr("cut short")) << size;
  }
  std::string damaged = gzipped;
  damaged[21] = 'x';  // the checksum
  EXPECT_THAT(error_of([&] { gunzip(damaged); }), HasSubstr("damaged"));
  EXPECT_THAT(error_of([&] { gunzip(gzipped + "rest"); }), HasSubstr("damaged"));
}

TEST(Gzip, DocumentsAreReadAsTheyAre) {
  const test::Folder folder;
  const Document document(folder.write("x.json.gz", gzipped), "a file", "write it again");
  EXPECT_EQ(document.root().at("a"), 1);
  const auto cut = folder.write("cut.json.gz", gzipped.substr(0, 20));
  EXPECT_EQ(error_of([&] { Document(cut, "a file", "write it again"); }),
            cut.string() + ": is a gzip file cut short; write it again");
}

}  // namespace
}  // namespace benanza
