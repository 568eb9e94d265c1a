#include "core/results_file/read_rows.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/results_file/row_splitter.h"
#include "core/tests/folder.h"
#include "core/tests/results_text.h"

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
    return RowParser()
        .parse(R"({"name": "relu/1x8/fp32/nchw/onednn/jit", "status": "ok", "samples")" + list +
               "}")
        ->samples;
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
  const auto row = RowParser().parse(R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok",
"real_time":3,"time_unit":"us","nested":{"samples":[1e-6]}})");
  EXPECT_THAT(row->samples, ElementsAre(3e-6));
}

TEST(ParseRow, NumbersThatNoDoubleHoldsAreErrors) {
  const auto with = [](const std::string& number) {
    return R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6],"a":)" +
           number + "}";
  };
  EXPECT_EQ(RowParser().parse(with("1e300"))->facts, "\"a\":1e300");
  EXPECT_EQ(RowParser().parse(with("1e-999"))->facts, "\"a\":1e-999");  // 0
  EXPECT_NE(error_of([&] { RowParser().parse(with("1e999")); }), "");
  EXPECT_NE(error_of([&] { RowParser().parse(with("1" + std::string(400, '0'))); }), "");
}

TEST(ParseRow, FactsKeepTheirSpelling) {
  const auto row = RowParser().parse(
      R"({"name": "relu/1x8/fp32/nchw/onednn/jit", "status": "ok", "samples": [1e-6],
"FLOP/s": 1, "power_w": 0.10, "words": "a\"b", "flag": true,
"nested": {"x": [1]}, "empty": null})");
  EXPECT_EQ(row->facts, R"("power_w":0.10,"words":"a\"b","flag":true)");
  EXPECT_EQ(RowParser().parse(row_text(*row))->facts, row->facts);
}

TEST(ParseRow, MembersAndFactsOfARow) {
  const auto row = RowParser().parse(
      R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6],)"
      R"("repetition_index":3,"workspace_bytes":4096,"shares_workspace":true,"heuristic_rank":2.0,)"
      R"("tensor_core_claimed":false,"tensor_core_counted":true,"FLOPs":1.5E+3,"none":null,)"
      R"("bytes":64,"calls_per_sample":5,"timed_seconds":0.1,"stopped_by":"budget","process":2,)"
      R"("first_choice":true,"over_limit":true,"measured_again":true,"in_place":true,"reference":true,)"
      R"("operand_formats":"row-major,2x8:s1.2","result_formats":"row-major",)"
      R"("tolerance":"sum","partial_sums":32,"rounding_amplification":16,"virtual_machine":true,)"
      R"("data":"random, 4 bits","kernel_names":"nvjet_1,_Z1fi","energy_joules":0.25,)"
      R"("disturbed":"power cap","company":false,"engine_lost":true,"other":1})");
  EXPECT_EQ(row->repetition, 3);
  EXPECT_EQ(row->workspace_bytes, 4096);
  EXPECT_EQ(row->heuristic_rank, 2);
  EXPECT_EQ(row->tensor_cores(), true);  // counted beats claimed
  EXPECT_EQ(row->flops, 1500);
  EXPECT_EQ(row->bytes, 64);
  EXPECT_EQ(row->calls_per_sample, 5);
  EXPECT_EQ(row->timed_seconds, 0.1);
  EXPECT_EQ(row->stopped_by, stopped_by_budget);
  EXPECT_EQ(row->process_number(), 2);
  EXPECT_TRUE(row->first_choice && row->over_limit && row->measured_again);
  EXPECT_TRUE(row->in_place && row->reference && row->shares_workspace);
  EXPECT_THAT(row->operand_formats, ElementsAre("row-major", "2x8:s1.2"));
  EXPECT_THAT(row->result_formats, ElementsAre("row-major"));
  EXPECT_EQ(row->tolerance, "sum");
  EXPECT_EQ(row->partial_sums, 32);
  EXPECT_EQ(row->rounding_amplification, 16);
  EXPECT_TRUE(row->virtual_machine && row->engine_lost);
  EXPECT_EQ(row->data, "random, 4 bits");
  EXPECT_THAT(row->kernel_names, ElementsAre("nvjet_1", "_Z1fi"));
  EXPECT_EQ(row->energy_joules, 0.25);
  EXPECT_TRUE(row->is_disturbed());
  EXPECT_FALSE(row->had_company());
  EXPECT_EQ(row->facts, R"("other":1)");
  EXPECT_EQ(members_text(*RowParser().parse(row_text(*row))), members_text(*row));
}

TEST(ParseRow, OldRowsNamedCompanyInTheCauses) {
  const auto row = [](const std::string& members) {
    return *RowParser().parse(
        R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6],)" + members +
        '}');
  };
  EXPECT_TRUE(row(R"("disturbed":"neighbours","company":true)").had_company());
  EXPECT_FALSE(row(R"("disturbed":"steal 1%","company":false)").had_company());
  EXPECT_TRUE(row(R"("disturbed":"steal 12%")").had_company());
  EXPECT_TRUE(row(R"("disturbed":"power cap, another process on the GPU")").had_company());
  EXPECT_TRUE(row(R"("disturbed":"other processes on 1.4 processors")").had_company());
  EXPECT_FALSE(row(R"("disturbed":"power cap","kernel_names":"steal ")").had_company());
}

TEST(ParseRow, AClockThatWasTooLowIsACauseIfThereIsNoOther) {
  const auto row = [](const std::string& members) {
    return *RowParser().parse(
        R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6],)" + members +
        '}');
  };
  EXPECT_EQ(row(R"("throttled":true)").disturbed, "throttled");
  EXPECT_EQ(row(R"("throttled":true)").company, false);
  EXPECT_EQ(row(R"("throttled":true,"disturbed":"power cap")").disturbed, "power cap");
  EXPECT_EQ(row(R"("disturbed":"power cap","throttled":true)").disturbed, "power cap");
  EXPECT_FALSE(row(R"("throttled":false,"kernel_names":"a\"disturbed\":b")").is_disturbed());
  EXPECT_EQ(members_text(row(R"("throttled":true)")), R"("disturbed":"throttled","company":false)");
  EXPECT_THROW(row(R"("throttled":1)"), Error);
}

TEST(AddFact, SetsTheFieldOfThatName) {
  Row row;
  add_fact(row, "heuristic_rank", 2.0);
  add_fact(row, "power_w", 300.0);
  add_fact(row, "bytes", std::numeric_limits<double>::infinity());
  EXPECT_EQ(row.heuristic_rank, 2);
  EXPECT_EQ(row.bytes, std::nullopt);
  EXPECT_EQ(row.facts, "\"power_w\":300");
  replace_facts(row, {{"power_w", 200.0}, {"energy_joules", 0.5}, {"seen", true}});
  EXPECT_EQ(row.energy_joules, 0.5);
  EXPECT_EQ(row.facts, R"("power_w":200,"seen":true)");
  EXPECT_THROW(add_fact(row, "data", 1.0), std::logic_error);
  add_fact(row, "throttled", false);
  EXPECT_FALSE(row.is_disturbed());
  add_fact(row, "throttled", true);
  EXPECT_EQ(row.disturbed, "throttled");
}

TEST(RowText, HasWhatFollowsFromTheSamples) {
  Row row{.variant = parse_variant_name("relu/1x8/fp32/nchw/onednn/jit"),
          .samples = {1e-6, 4e-6, 2e-6}};
  row.flops = 8;
  row.calls_per_sample = 5;
  const auto json = nlohmann::json::parse(row_text(row, {.family = 7, .repetitions = 2}));
  EXPECT_EQ(json.at("real_time"), 2.0);
  EXPECT_EQ(json.at("iterations"), 15);
  EXPECT_EQ(json.at("FLOP/s"), 4e6);
  EXPECT_EQ(json.at("min"), 1e-6);
  EXPECT_EQ(json.at("family_index"), 7);
  EXPECT_EQ(json.at("FLOPs"), 8);
  EXPECT_FALSE(json.contains("error_occurred"));
}

TEST(ParseRow, WhatIsNoJsonIsAnError) {
  const std::string row =
      R"({"name":"relu/1x8/fp32/nchw/onednn/jit","status":"ok","samples":[1e-6])";
  EXPECT_NE(RowParser().parse(row + "}"), std::nullopt);
  for (const char* end : {",}", "} x", "", ",\"a\":01}", ",\"a\":1.}", ",\"a\":.5}", ",\"a\":+1}",
                          ",\"a\":tru}", ",\"a\" 1}", ",\"a\":}", ",\"a\":1e}", ",a:1}"}) {
    EXPECT_NE(error_of([&] { RowParser().parse(row + end); }), "") << end;
  }
}

TEST(ParseRow, AMemberOfAnotherTypeIsAnError) {
  for (const char* member : {R"("workspace_bytes": "many")", R"("heuristic_rank": true)",
                             R"("tensor_core_counted": 1)", R"("reason": 5)", R"("status": [])"}) {
    EXPECT_THAT(error_of([&] {
                  RowParser().parse(R"({"name": "relu/1x8/fp32/nchw/onednn/jit", "status": "ok",
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
                 [&](Row&& row) {
                   ordered = ordered && row.variant.key == "relu/" + std::to_string(next++);
                 }});
  EXPECT_EQ(next, 20001);
  EXPECT_TRUE(ordered);
}

TEST(ReadRows, ABadRowFarInsideIsAnError) {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 5000; ++i) rows += row("relu/1x8/fp32/nchw/onednn/jit", "[1e-6]") + ",";
  const auto file = folder.write("r.json", results_text(rows + R"({"name": })"));
  EXPECT_THAT(
      error_of([&] { read_rows(file, {.begin = [](const Origin&) {}, .add = [](Row&&) {}}); }),
      HasSubstr(file.string() + ": "));
}

TEST(ReadRows, PeaksAreReadFromTheContext) {
  const Folder folder;
  std::string text = results_text("");
  text.insert(text.find("\"num_cpus\""), R"("peak_fp16_flops_per_second": "6.6e+14",
"peak_bytes_per_second": 3e12, "peak_of_what": "?", )");
  Origin found;
  read_rows(folder.write("r.json", text),
            {.begin = [&](const Origin& origin) { found = origin; }, .add = [](Row&&) {}});
  EXPECT_THAT(found.peaks, ElementsAre(testing::Pair("peak_bytes_per_second", 3e12),
                                       testing::Pair("peak_fp16_flops_per_second", 6.6e14)));
}

TEST(ReadRows, AnchorsAreReadFromTheContext) {
  const Folder folder;
  std::string text = results_text("");
  text.insert(text.find("\"num_cpus\""), R"("anchor_copy_seconds": "2e-3 2.5e-3",
"anchor_arithmetic_seconds": [0.001, 0.002], "anchor_words_seconds": "1e-3 fast",
"anchor_gap_seconds": "0 -1", "anchor__seconds": "1", "anchor_seconds": "1", )");
  Origin found;
  read_rows(folder.write("r.json", text),
            {.begin = [&](const Origin& origin) { found = origin; }, .add = [](Row&&) {}});
  EXPECT_THAT(found.anchors, ElementsAre(testing::Pair("arithmetic", ElementsAre(0.001, 0.002)),
                                         testing::Pair("copy", ElementsAre(0.002, 0.0025))));
}

TEST(Origin, TheSameAnchorsCountOnce) {
  AnchorTimes held{{"copy", {1, 2}}};
  add_anchors(held, {{"copy", {1, 2}}, {"arithmetic", {3}}});
  add_anchors(held, {{"copy", {4}}});
  EXPECT_THAT(held, ElementsAre(testing::Pair("arithmetic", ElementsAre(3)),
                                testing::Pair("copy", ElementsAre(1, 2, 4))));
}

}  // namespace
}  // namespace benanza
