// Damaged results files: each is refused in one line, or its rows can be written again.
#include <gmock/gmock.h>

#include <cmath>

#include "core/results_file/read_rows.h"
#include "core/tests/folder.h"
#include "core/tests/mutate_json.h"

namespace benanza {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string whole =
    R"({"context":{"date":"today","num_cpus":2,"peak_fp32_flops_per_second":1e12,
"peak_bytes_per_second":"2e10","benanza":{"schema":1,"backend":"onednn","system":{"threads":"2","cpu_model":"a CPU"}}},
"benchmarks":[
{"name":"relu/1x8/fp32/nchw/onednn/jit","run_name":"relu/1x8/fp32/nchw/onednn/jit","run_type":"iteration",
"repetitions":5,"repetition_index":3,"iterations":30,"real_time":7.0,"cpu_time":7.0,"time_unit":"us","status":"ok",
"samples":[1e-6,2.5e-6,3e-6],"workspace_bytes":4096,"heuristic_rank":2,"tensor_core_counted":true,"FLOPs":8,
"disturbed":"steal 12%","kernel_names":"a,b","energy_joules":0.25,"first_choice":true},
{"name":"relu/1x8_mean","run_type":"aggregate","real_time":5,"time_unit":"us"},
{"name":"gemm/m1_n2_k3_nn/int8/plain/onednn/gemm:jit/cold","status":"unsupported","reason":"no \"int8\"","real_time":0,
"time_unit":"us","error_occurred":true,"error_message":"unsupported: no"},
{"name":"relu/1x9/fp32/nchw/onednn/jit","status":"ok","real_time":7,"time_unit":"ns"}]})";

void expect_sound(const Row& row, const std::string& text) {
  EXPECT_EQ(row.samples.empty(), row.status != Status::ok) << text;
  for (const double sample : row.samples) EXPECT_TRUE(std::isfinite(sample) && sample > 0) << text;
  const auto again = RowParser().parse(row_text(row));
  ASSERT_TRUE(again) << text;
  EXPECT_EQ(again->variant, row.variant) << text;
  EXPECT_EQ(again->samples, row.samples) << text;
  EXPECT_EQ(again->repetition, row.repetition) << text;
  EXPECT_EQ(again->workspace_bytes, row.workspace_bytes) << text;
  EXPECT_EQ(members_text(*again), members_text(row)) << text;
  facts_of(row);
}

class MutatedRows : public testing::Test {
 protected:
  /// True if it is accepted.
  bool expect_refused_or_sound(const std::string& text) {
    const auto file = folder_.write("r.json", text);
    const std::string refusal = test::error_of([&] {
      read_rows(file, {.begin = [](const Origin&) {},
                       .add = [&](Row&& row) { expect_sound(row, text); }});
    });
    if (refusal.empty()) return true;
    EXPECT_THAT(refusal, AllOf(HasSubstr(file.string() + ": "), Not(HasSubstr("\n")))) << text;
    return false;
  }

 private:
  const test::Folder folder_;
};

TEST_F(MutatedRows, CutShortIsRefused) {
  EXPECT_TRUE(expect_refused_or_sound(whole));
  for (std::size_t size = 0; size < whole.size(); size += 2) {
    EXPECT_FALSE(expect_refused_or_sound(whole.substr(0, size))) << size;
  }
}

TEST_F(MutatedRows, WithOtherBytesIsRefusedOrSound) {
  test::Mutator mutator(1);
  for (int turn = 0; turn < 600; ++turn) expect_refused_or_sound(mutator.changed(whole, whole));
}

TEST_F(MutatedRows, WithOtherValuesIsRefusedOrSound) {
  test::Mutator mutator(2);
  int accepted = 0;
  for (int turn = 0; turn < 900; ++turn) {
    accepted += expect_refused_or_sound(test::changed_json(mutator, whole)) ? 1 : 0;
  }
  EXPECT_GT(accepted, 100) << "the changes are so large that nothing is tested";
}

// One file after the other is no list of rows.
TEST_F(MutatedRows, JoinedWithItselfIsRefused) {
  EXPECT_FALSE(expect_refused_or_sound(whole + whole));
  EXPECT_FALSE(expect_refused_or_sound(whole + '\n' + whole));
}

}  // namespace
}  // namespace benanza
