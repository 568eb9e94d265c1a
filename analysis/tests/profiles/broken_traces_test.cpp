#include <gmock/gmock.h>

#include "analysis/profiles/file/json_scan.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::Folder;
using test::TraceWriter;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A product of 12 us, and an annotation whose name is NAME and whose duration is 60.5.
std::string trace_text() {
  TraceWriter trace;
  trace.op("aten::mm", {{64, 128}, {128, 32}}, {}, {{"gemm", 12}});
  nlohmann::json root = trace.json();
  root["traceEvents"].push_back({{"ph", "X"},
                                 {"cat", "user_annotation"},
                                 {"name", "NAME"},
                                 {"pid", 1},
                                 {"tid", 1},
                                 {"ts", 95.5},
                                 {"dur", 60.5}});
  return root.dump(1);
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(BrokenTraces, AreRepairedWhereThatIsCertain) {
  const Folder folder;
  const std::string good = trace_text();
  const std::vector<std::pair<std::string, std::string>> cases{
      {with(good, "NAME", R"({"device": "cpu"}(12): run)"), "unescaped quotes in 4 places"},
      {with(good, "NAME", R"(say "a", "b" twice)"), "unescaped quotes"},
      {with(good, "NAME", R"(")"), "unescaped quotes in 1 place"},
      {with(good, "NAME", R"(a "quoted)"), "unescaped quotes in 1 place"},
      {with(good, "NAME", "a\x01\nb"), "control characters in 2 places"},
      {with(good, "NAME", "a\xff\xfe \xc3"), "no UTF-8 in 3 places"},
      {with(good, "NAME", "a\xed\xa0\x80"), "no UTF-8"},
      {with(good, "NAME", R"(C:\device\x)"), "single backslashes in 2 places"},
      {with(good, "NAME", R"(half \ud800 pair)"), "half characters"},
      {with(good, "60.5", "NaN"), "numbers that are none"},
      {with(good, "60.5", "-Infinity"), "numbers that are none"},
      {with(good, "60.5", "-nan(ind)"), "numbers that are none"},
      {with(good, "95.5", "inf"), "numbers that are none"},
      {with(good, "a GPU", "a \"GPU"), "unescaped quotes in 1 place"},
      {with(good, "a GPU", "a\tGPU\xff"), "no UTF-8"},
      {with(good, "\n ]\n}", ",\n ]\n}"), "a comma that nothing follows in 1 place"},
      {with(good, "\n}", ",\n}"), "a comma that nothing follows in 1 place"},
  };
  for (const auto& [text, says] : cases) {
    SCOPED_TRACE(text);
    const Profile profile = read_profile(folder.write("t.json", text));
    ASSERT_EQ(profile.nodes.size(), 1);
    EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 12e-6);
    EXPECT_EQ(profile.nodes[0].parts.at(0).problem, "gemm/m64_n32_k128_nn");
    EXPECT_THAT(profile.remarks, Contains(HasSubstr(says)));
  }
}

TEST(BrokenTraces, SoundTextIsNotTouched) {
  for (const char* name :
       {"plain", R"(C:\\temp\"run\")", "\xc3\xa9 \xf0\x9f\x98\x80", R"(\ud83d\ude00 \u00e9 \/)"}) {
    const Folder folder;
    const Profile profile = read_profile(folder.write("t.json", with(trace_text(), "NAME", name)));
    EXPECT_THAT(profile.remarks, IsEmpty()) << name;
  }
  const Folder folder;
  EXPECT_EQ(read_profile(folder.write("t.json", "\xef\xbb\xbf" + trace_text())).nodes.size(), 1);
}

TEST(BrokenTraces, WholeNumbersBeyond64BitsAreRead) {
  const Folder folder;
  const auto file =
      folder.write("t.json", with(trace_text(), "60.5", "123456789012345678901234567890"));
  EXPECT_EQ(read_profile(file).nodes.size(), 1);
}

/// The byte of `what` in `text`, as messages have it.
std::string byte_of(const std::string& text, const std::string& what) {
  return "byte " + std::to_string(text.find(what));
}

TEST(BrokenTraces, AreRefusedWithByteAndCauseOtherwise) {
  const Folder folder;
  const std::string good = trace_text();
  const auto is_refused = [&](const std::string& text, const std::string& at,
                              const std::string& cause) {
    SCOPED_TRACE(text);
    const auto file = folder.write("t.json", text);
    EXPECT_THAT(error_of([&] { read_profile(file); }),
                AllOf(HasSubstr(file.string() + ": "), HasSubstr(at), HasSubstr(cause),
                      Not(HasSubstr("\n"))));
  };
  for (std::size_t size : {std::size_t{1}, good.size() / 3, good.size() / 2, good.size() - 1}) {
    is_refused(good.substr(0, size), "byte " + std::to_string(size), "cut short");
  }
  // The next event's name would be part of this one's.
  const std::string swallowing = with(good, "NAME\"", "NAME");
  is_refused(swallowing, byte_of(swallowing, "ph\": \"X\",\n   \"pid\": 1,"), "a comma or }");
  const std::string empty = with(good, "60.5", "");
  is_refused(empty, "byte", "a value");
  const std::string word = with(good, "60.5", "sixty");
  is_refused(word, "byte", "not JSON");
  is_refused(good + "x", "byte " + std::to_string(good.size()), "the file to end");
  is_refused("<html>", "byte 0", "'<'");
  const std::string typed = with(good, "95.5", "\"soon\"");
  is_refused(typed, "byte", "\"ts\" must be a number");
}

/// `text` in units of so many bytes.
std::string widened(const std::string& text, std::size_t unit, bool is_big_endian) {
  std::string wide;
  for (const char letter : text) {
    const std::string zeros(unit - 1, '\0');
    wide += is_big_endian ? zeros + letter : letter + zeros;
  }
  return wide;
}

TEST(BrokenTraces, OtherEncodingsAreNamed) {
  const Folder folder;
  for (const bool is_big_endian : {false, true}) {
    for (const auto& [unit, name] :
         std::vector<std::pair<std::size_t, std::string>>{{2, "UTF-16"}, {4, "UTF-32"}}) {
      const auto file = folder.write("t.json", widened(trace_text(), unit, is_big_endian));
      EXPECT_THAT(error_of([&] { read_profile(file); }), HasSubstr(name));
    }
  }
  const auto packed = folder.write("host.xplane.pb", std::string("\n\x0e/host:CPU"));
  EXPECT_THAT(error_of([&] { read_profile(packed); }), HasSubstr(".trace.json.gz"));
}

// Microseconds since 1970, with nanoseconds behind the point, have more digits than a number of
// double precision: it would tell kernels of 12.3 us apart by 0.25 us.
TEST(BrokenTraces, TimesSince1970KeepTheirNanoseconds) {
  const Folder folder;
  const auto shifted = [](const std::string& by) {
    const auto event = [&](const char* category, const char* name, int start, const char* rest) {
      return R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" + name +
             R"(","pid":1,"tid":1,"args":{"ts":7,"correlation":1,"Input Dims":[[4,8],[8,2]]},"ts":)" +
             by + std::to_string(start) + rest + '}';
    };
    return R"({"traceEvents":[)" + event("cpu_op", "aten::mm", 100, R"(.100,"dur":20.300)") + ',' +
           event("cuda_runtime", "cudaLaunchKernel", 102, R"(.125,"dur":1.5)") + ',' +
           event("kernel", "gemm", 110, R"(.001,"dur":12.345)") + "]}";
  };
  for (const std::string base : {"", "1712345678901", "1712345678901234", "9007199254740993"}) {
    const Profile profile = read_profile(folder.write("t.json", shifted(base)));
    ASSERT_EQ(profile.nodes.size(), 1U);
    EXPECT_NEAR(profile.nodes[0].seconds, 12.345e-6, 1e-12) << base;
    ASSERT_TRUE(profile.timeline);
    EXPECT_NEAR(profile.timeline->span_seconds, 22.246e-6, 1e-11) << base;
  }
}

TEST(BrokenTraces, ADurationOfDaysIsNone) {
  const Folder folder;
  TraceWriter trace;
  trace.op("aten::mm", {{64, 128}, {128, 32}}, {}, {{"gemm", 12}});
  trace.op("aten::mm", {{64, 128}, {128, 32}}, {}, {{"gemm", 1.7e15}});
  const Profile profile = read_profile(folder.write("t.json", trace.text()));
  double seconds = 0;
  for (const ProfiledNode& node : profile.nodes) seconds += node.seconds;
  EXPECT_NEAR(seconds, 12e-6, 1e-12);
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("1 of 2 kernels state no time")));
}

TEST(BrokenTraces, EventsWithoutATimeAreCounted) {
  const Folder folder;
  nlohmann::json root = TraceWriter()
                            .relu({4, 4}, 10)
                            .relu({4, 4}, 20)
                            .op("aten::relu", {{4, 4}}, {}, {{"k", 5}})
                            .json();
  int kernels = 0;
  for (nlohmann::json& event : root["traceEvents"]) {
    if (event["cat"] != "kernel") continue;
    ++kernels;
    if (kernels == 2) event.erase("dur");
    if (kernels == 3) event["ts"] = nullptr;
  }
  const Profile profile = read_profile(folder.write("t.json", root.dump()));
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("1 of 2 kernels state no time")));
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("1 of the trace's events state no start")));
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("1 of 3 launches have no kernel")));
  ASSERT_EQ(profile.nodes.size(), 2);
  EXPECT_FALSE(profile.nodes[0].lacks_kernels);
  EXPECT_TRUE(profile.nodes[1].lacks_kernels);
}

TEST(JsonRepair, LeavesWhatIsNotCertain) {
  const auto any = [](std::string_view) { return true; };
  const auto quotes = [&](std::string_view text) {
    std::size_t end = 0;
    return unescaped_quotes(text, end, any);
  };
  EXPECT_EQ(quotes(R"({"a": "b"c"})"), std::vector<std::size_t>{8});
  EXPECT_FALSE(quotes(R"({"a": , "b": 1})"));
  EXPECT_FALSE(quotes(R"({"cat": "op, "name": "x"})"));
  EXPECT_FALSE(quotes(R"({"a": "b)"));
  EXPECT_FALSE(quotes(R"({"a": 1 2})"));
}

TEST(JsonScan, FindsTheEnd) {
  const auto end = [](std::string_view text) { return scan_value(text).at; };
  EXPECT_EQ(end(R"({"a": [1, {"b": "}\""}, null]} rest)"), 30);
  EXPECT_EQ(end("[] ]"), 2);
  EXPECT_EQ(end("12.5,"), 4);
  EXPECT_EQ(scan_value("12.5").state, ScannedValue::State::incomplete);
  EXPECT_EQ(scan_value("[1,]").state, ScannedValue::State::broken);
  EXPECT_EQ(scan_value("[1 2]").at, 3);
  EXPECT_EQ(scan_value("{1: 2}").expected, "a member's name in quotes");
}

}  // namespace
}  // namespace benanza::analysis
