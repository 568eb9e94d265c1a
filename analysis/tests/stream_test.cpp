#include "analysis/results/stream.h"

#include <gmock/gmock.h>

#include "analysis/results/splitter.h"
#include "analysis/tests/folder.h"

namespace benanza {
namespace {

using test::error_of;
using test::Folder;
using test::results_text;
using test::row;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> texts(const RowSplitter::Rows& rows) {
  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const std::size_t end : rows.ends) {
    texts.push_back(rows.text.substr(begin, end - begin));
    begin = end;
  }
  return texts;
}

const std::string tricky =
    R"({"context": {"a": "[{\"benchmarks\": ["}, "benchmarks" : [ {"x": "}]\\"}, {"y": [{}]}
], "z": [{}]})";

TEST(RowSplitter, TakesRowsOutOfTheText) {
  RowSplitter splitter;
  splitter.feed(tricky);
  EXPECT_THAT(texts(splitter.take()), ElementsAre(R"({"x": "}]\\"})", R"({"y": [{}]})"));
  EXPECT_EQ(splitter.skeleton(),
            R"({"context": {"a": "[{\"benchmarks\": ["}, "benchmarks" : [ 0, 0
], "z": [{}]})");
  EXPECT_EQ(splitter.head(), R"({"context": {"a": "[{\"benchmarks\": ["}, "benchmarks" : [ ]})");
  EXPECT_EQ(splitter.count(), 2);
}

TEST(RowSplitter, PartsMayEndAnywhere) {
  RowSplitter whole;
  whole.feed(tricky);
  RowSplitter bytes;
  std::vector<std::string> rows;
  for (const char& byte : tricky) {
    bytes.feed({&byte, 1});
    for (std::string& text : texts(bytes.take())) rows.push_back(std::move(text));
  }
  EXPECT_EQ(rows, texts(whole.take()));
  EXPECT_EQ(bytes.skeleton(), whole.skeleton());
  EXPECT_EQ(bytes.head(), whole.head());
}

TEST(ParseRow, SamplesAreReadInAnySpelling) {
  const auto samples = [](const std::string& list) {
    return parse_row(R"({"name": "relu/1x8/fp32/nchw/onednn/jit", "status": "ok", "samples")" +
                     list + "}")
        ->measurement.samples;
  };
  EXPECT_THAT(samples(":[1e-6,2.5E-06,3]"), ElementsAre(1e-6, 2.5e-6, 3));
  EXPECT_THAT(samples(":[ 1e-6 ,\n2e-6 ]"), ElementsAre(1e-6, 2e-6));
  EXPECT_THAT(samples(" : [1e-6, 2e-6]"), ElementsAre(1e-6, 2e-6));
  for (const char* list : {":[1e-6,]", ":[1e-6 2e-6]", ":[,1e-6]", ":[1e-6", ":[\"1e-6\"]",
                           ":[inf]", ":[1e-6]]", ":{\"a\": 1}", ":[]"}) {
    EXPECT_NE(error_of([&] { samples(list); }), "") << list;
  }
}

TEST(ParseRow, SamplesOfAnotherObjectAreNotTheRows) {
  const auto row = parse_row(R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok",
"real_time":3,"time_unit":"us","nested":{"samples":[1e-6]}})");
  EXPECT_THAT(row->measurement.samples, ElementsAre(3e-6));
}

TEST(ParseRow, NumbersThatNoDoubleHoldsAreErrors) {
  const auto with = [](const std::string& number) {
    return R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6],"a":)" +
           number + "}";
  };
  EXPECT_EQ(parse_row(with("1e300"))->facts, "\"a\":1e300");
  EXPECT_EQ(parse_row(with("1e-999"))->facts, "\"a\":1e-999");  // 0
  EXPECT_NE(error_of([&] { parse_row(with("1e999")); }), "");
  EXPECT_NE(error_of([&] { parse_row(with("1" + std::string(400, '0'))); }), "");
}

TEST(ParseRow, FactsKeepTheirSpelling) {
  const auto row = parse_row(
      R"({"name": "relu/1x8/fp32/nchw/onednn/jit", "status": "ok", "samples": [1e-6],
"FLOP/s": 1, "FLOPs": 8, "timed_seconds": 0.10, "stopped_by": "a\"b", "flag": true,
"nested": {"x": [1]}, "empty": null})");
  EXPECT_EQ(row->facts, R"("FLOPs":8,"timed_seconds":0.10,"stopped_by":"a\"b","flag":true)");
  EXPECT_EQ(parse_row(row_text(*row))->facts, row->facts);
}

TEST(ParseRow, TheFastWayReadsWhatTheParserReads) {
  const std::string members =
      R"("name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6],"repetition_index":3,)"
      R"("workspace_bytes":4096,"heuristic_rank":2.0,"tensor_core_counted":true,"FLOPs":1.5E+3,)"
      R"("none":null,"stopped_by":"budget")";
  const auto fast = parse_row("{" + members + "}");
  // An escape makes the text one for the parser.
  const auto slow = parse_row("{" + members + R"(,"error_message":"\""})");
  EXPECT_EQ(row_text(*fast), row_text(*slow));
  EXPECT_EQ(fast->repetition, 3);
  EXPECT_EQ(fast->measurement.workspace_bytes, 4096);
  EXPECT_EQ(fast->measurement.heuristic_rank, 2);
  EXPECT_EQ(fast->measurement.tensor_cores, true);
  EXPECT_EQ(fast->facts, slow->facts);
}

TEST(ParseRow, WhatIsNoJsonIsAnErrorInEitherWay) {
  const std::string row =
      R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6])";
  EXPECT_NE(parse_row(row + "}"), std::nullopt);
  for (const char* end : {",}", "} x", "", ",\"a\":01}", ",\"a\":1.}", ",\"a\":.5}", ",\"a\":+1}",
                          ",\"a\":tru}", ",\"a\" 1}", ",\"a\":}", ",\"a\":1e}", ",a:1}"}) {
    EXPECT_NE(error_of([&] { parse_row(row + end); }), "") << end;
  }
}

TEST(ParseRow, AMemberOfAnotherTypeIsAnError) {
  for (const char* member : {R"("workspace_bytes": "many")", R"("heuristic_rank": true)",
                             R"("tensor_core_counted": 1)", R"("reason": 5)", R"("status": [])"}) {
    EXPECT_THAT(error_of([&] {
                  parse_row(R"({"name": "relu/1x8/fp32/nchw/onednn/jit", "status": "ok",
"samples": [1e-6], )" + std::string(member) +
                            "}");
                }),
                HasSubstr("type"))
        << member;
  }
}

TEST(ReadRows, ManyRowsComeInTheFilesOrder) {
  const Folder folder;
  std::string rows;
  for (int i = 1; i <= 20000; ++i) {
    if (i > 1) rows += ",\n";
    rows += row("relu/" + std::to_string(i) + "/fp32/nchw/onednn/jit", "[1e-6, 2e-6, 3e-6]");
  }
  int next = 1;
  bool ordered = true;
  read_rows(folder.write("r.json", results_text(rows)),
            {.begin = [](const Origin&) {},
             .add =
                 [&](ResultRow&& row) {
                   ordered =
                       ordered && row.measurement.variant.key == "relu/" + std::to_string(next++);
                 }});
  EXPECT_EQ(next, 20001);
  EXPECT_TRUE(ordered);
}

TEST(ReadRows, ABadRowFarInsideIsAnError) {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 5000; ++i) rows += row("relu/1x8/fp32/nchw/onednn/jit", "[1e-6]") + ",";
  const auto file = folder.write("r.json", results_text(rows + R"({"name": })"));
  EXPECT_THAT(error_of([&] {
                read_rows(file, {.begin = [](const Origin&) {}, .add = [](ResultRow&&) {}});
              }),
              HasSubstr(file.string() + ": "));
}

TEST(ReadRows, PeaksAreReadFromTheContext) {
  const Folder folder;
  std::string text = results_text("");
  text.insert(text.find("\"num_cpus\""), R"("peak_fp16_flops_per_second": "6.6e+14",
"peak_bytes_per_second": 3e12, "peak_of_what": "?", )");
  Origin found;
  read_rows(folder.write("r.json", text),
            {.begin = [&](const Origin& origin) { found = origin; }, .add = [](ResultRow&&) {}});
  EXPECT_THAT(found.peaks, ElementsAre(testing::Pair("peak_bytes_per_second", 3e12),
                                       testing::Pair("peak_fp16_flops_per_second", 6.6e14)));
}

}  // namespace
}  // namespace benanza
