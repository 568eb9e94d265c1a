// benanza-analyze serve, run as a user does, on a made-up model whose steps follow formulas.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/questions/serve_case.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Outcome;
using Step = test::ServedStep;
using testing::HasSubstr;
using testing::Not;

// The answer about the grid of add_grid() with 2 GiB.
constexpr const char* golden = R"(
tiny, bf16 weights, bf16 cache, bf16
  request        prompt of 100 tokens, answer of 300; time per token: mean over the answer
  memory         weights 1.00 GiB, cache 0.391 GiB per sequence of 400 tokens; the device's 2.00 GiB
  largest batch  2
  in between     prefill new log-log, decode past linear, decode batch linear

  batch  first token ms  prompts at once  ms per token  floor ms  tokens/s each  tokens/s  with prefill  requests/s   GiB  fits  front  J per million  first token is  per token is
      1           1.200                1         1.450     0.500          689.7     689.7         690.1       2.300  1.39  yes   yes         144916.7  measured        interpolated
      2           1.200                1         1.800     0.500          555.6    1111.1        1109.9       3.700  1.78  yes   yes          90100.0  measured        interpolated
      4           1.200                1         2.500     0.500          400.0    1600.0        1595.1       5.317  2.56  no    no           62691.7  measured        interpolated
  front: of the batches that fit, those that no other beats in both time per token and tokens per second
)";

class ServeProgram : public test::ServedModel {};

TEST_F(ServeProgram, AnswersFromTheGrid) {
  add_grid();
  const json found = reports("--prompt 100 --output 300 --batch 2,3 --usd-per-hour 3.6")[0];
  ASSERT_EQ(found["batches"].size(), 2U);
  const json two = found["batches"][0];
  // The prompt: 0.1 + 1 + 0.1 ms. The mean past is 250: 0.1 + 1.2 + 0.5 ms.
  EXPECT_NEAR(two["first_token_seconds"].get<double>(), 1.2e-3, 1e-12);
  EXPECT_EQ(two["first_kind"], "measured");
  EXPECT_NEAR(two["token_seconds"].get<double>(), 1.8e-3, 1e-12);
  EXPECT_EQ(two["token_kind"], "interpolated");
  EXPECT_NEAR(two["tokens_per_second_each"].get<double>(), 1 / 1.8e-3, 1e-6);
  EXPECT_NEAR(two["tokens_per_second"].get<double>(), 2 / 1.8e-3, 1e-6);
  // Two prompts, one after the other, and 299 steps: 2.4 + 538.2 ms for two requests.
  EXPECT_EQ(two["prompts_at_once"], 1);
  EXPECT_NEAR(two["requests_per_second"].get<double>(), 2 / 0.5406, 1e-9);
  EXPECT_NEAR(two["served_tokens_per_second"].get<double>(), 600 / 0.5406, 1e-6);
  // 0.001 USD a second; 100 W.
  EXPECT_NEAR(two["usd_per_million_tokens"].get<double>(), 1e3 * 0.5406 / 600, 1e-9);
  EXPECT_NEAR(two["joules_per_million_tokens"].get<double>(), 1e8 * 0.5406 / 600, 1e-3);
  // 0.5 GB at 1 TB/s.
  EXPECT_NEAR(two["token_floor_seconds"].get<double>(), 0.5e-3, 1e-8);
  EXPECT_NEAR(found["batches"][1]["token_seconds"].get<double>(), 2.15e-3, 1e-12);
  EXPECT_EQ(found["batches"][1]["token_kind"], "interpolated");
  EXPECT_EQ(found["partial"], false);
  // All follow the laws that are chosen, so that what is left out is estimated exactly.
  EXPECT_NEAR(found["layer_error_p90"].get<double>(), 0, 1e-9);
  EXPECT_EQ(found["measure_next"].size(), 0U);
  EXPECT_EQ(found["steps"].size(), 12U);
}

TEST_F(ServeProgram, OfOnePastAnswersForThatPast) {
  add({"decode", 1, 200, 1});
  add({"prefill", 1, 0, 200});
  const json found = reports("")[0];
  EXPECT_EQ(found["prompt_tokens"], 200);
  EXPECT_EQ(found["output_tokens"], 2);
  const json one = found["batches"][0];
  EXPECT_EQ(one["token_kind"], "measured");
  EXPECT_NEAR(one["token_seconds"].get<double>(), 1.4e-3, 1e-12);  // 0.1 + 1.1 + 0.2 ms
  expect_error(run("--output 3"), "past 200 to 203, is outside");
}

TEST_F(ServeProgram, SaysWhatFits) {
  memory_ = "\"memory_bytes\": \"2147483648\", ";
  add_grid();
  // 1 GiB of weights, and 400 MiB for each sequence of 400 tokens.
  const json found = reports("--prompt 100 --output 300")[0];
  EXPECT_EQ(found["largest_batch"], 2);
  EXPECT_EQ(found["memory_bytes"], 2147483648.0);
  ASSERT_EQ(found["batches"].size(), 3U);
  EXPECT_EQ(found["batches"][1]["fits"], true);
  EXPECT_EQ(found["batches"][1]["on_front"], true);
  EXPECT_EQ(found["batches"][2]["fits"], false);
  EXPECT_EQ(found["batches"][2]["on_front"], false);
  // 3 GiB: five sequences, more than was measured.
  EXPECT_EQ(reports("--prompt 100 --output 300 --memory 3")[0]["largest_batch"], 5);
  // 2.4 GiB: three, which lies between the measured ones.
  const json three = reports("--prompt 100 --output 300 --memory 2.4")[0]["batches"];
  ASSERT_EQ(three.size(), 4U);
  EXPECT_EQ(three[2]["batch"], 3);
  EXPECT_EQ(three[2]["first_kind"], "measured");
}

TEST_F(ServeProgram, DividesTheTimeAmongKindsOfLayers) {
  add_grid();
  const json found = reports("--prompt 200 --output 200 --batch 2")[0];
  ASSERT_EQ(found["kinds"].size(), 6U);
  // At a mean past of 300: 0.6 of 1.9 ms. Attention reads 2 * 301 keys and values of 64 bf16, and
  // 2 rows, and writes 2 rows, less a byte of cache.
  const json attention = found["kinds"][3];
  EXPECT_EQ(attention["step"], "each token");
  EXPECT_EQ(attention["kind"], "attention");
  EXPECT_NEAR(attention["share"].get<double>(), 0.6 / 1.9, 1e-9);
  const double bytes = 2 * (2 * 301 + 2) * 64 * 2;
  EXPECT_NEAR(attention["bandwidth_share"].get<double>(), bytes / 0.6e-3 / 1e12, 1e-9);
  EXPECT_NEAR(attention["head_room"].get<double>(), 0.6e-3 / ((bytes - 1) / 1e12), 1e-3);
  EXPECT_EQ(found["kinds"][0]["step"], "first token");
  EXPECT_EQ(found["kinds"][4]["kind"], "normalization");
  EXPECT_EQ(found["kinds"][5]["kind"], "products");
}

TEST_F(ServeProgram, IsATableForPeople) {
  add_grid();
  const Outcome outcome =
      run("--prompt 100 --output 300 --memory 2 --html " + (folder_.path() / "page.html").string());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(golden));
  EXPECT_THAT(test::contents(folder_.path() / "page.html"),
              testing::AllOf(HasSubstr("<svg"), HasSubstr("does not fit")));
  EXPECT_THAT(run("--prompt 100 --output 300 --format csv").out,
              testing::StartsWith("model,weights,cache,tensor_parallel,precision,batch,"));
}

TEST_F(ServeProgram, RefusesWhatIsOutsideAndSaysWhatToMeasure) {
  add_grid();
  expect_error(run("--prompt 100 --output 400"),
               "decode at batch 1, past 100 to 500, is outside of what was measured (past 100 to "
               "400, batch 1 to 4); measure it: scripts/serve --config config.json --batch 1,2,4 "
               "--past 500 --precision bf16 --weights bf16 --cache bf16");
  expect_error(run("--prompt 100 --output 300 --batch 8 --config c.json"),
               "scripts/serve --config c.json --batch 8 --past 100,400 --precision bf16");
  expect_error(run("--prompt 300 --output 100 --batch 1 --allow-missing --cached 300"),
               "--cached 300: the prompt has 300 tokens");
  expect_error(run("--prompt 0"), "--prompt 0: say a whole number from 1 on");
  // Unknown where it is allowed.
  const json found = reports("--prompt 100 --output 300 --batch 1,8 --allow-missing")[0];
  EXPECT_TRUE(found["batches"][1]["token_seconds"].is_null());
  EXPECT_EQ(found["batches"][1]["token_kind"], "outside of what was measured");
}

TEST_F(ServeProgram, NeverUsesAPartialStepInSilence) {
  add_grid();
  add({"decode", 4, 800}, 2);
  expect_error(run("--prompt 100 --output 300"), "1 measurement is missing: attention/");
  expect_error(run("--prompt 100 --batch 4x"), "--batch 4x");
  const json found = reports("--prompt 100 --output 300 --allow-missing")[0];
  EXPECT_EQ(found["partial"], true);
  EXPECT_EQ(found["steps"].size(), 12U);
  EXPECT_THAT(run("--prompt 100 --output 300 --allow-missing").out,
              HasSubstr("PARTIAL: decode steps that lack measurements are left out: "
                        "decode_bf16_4_800_1, batch 4"));
}

TEST_F(ServeProgram, SaysHowGoodTheEstimatesAre) {
  // Only two points on each axis.
  for (const std::int64_t past : {100, 400}) add({"decode", 1, past});
  const json few = reports("--prompt 100 --output 300")[0];
  EXPECT_TRUE(few["step_error_most"].is_null());
  EXPECT_EQ(few["measure_next"][0]["command"],
            "scripts/serve --config config.json --batch 1 --past 200 --precision bf16 --weights "
            "bf16 --cache bf16");
  EXPECT_TRUE(few["batches"][0]["first_token_seconds"].is_null());
  EXPECT_THAT(run("--prompt 100 --output 300").out,
              testing::AllOf(HasSubstr("unknown: measure three points on an axis at least"),
                             HasSubstr("no prefill step was measured")));
  // One that does not lie on the line between them: the product takes 0.55 ms there, not 1.1. Of
  // 0.1 + 0.55 + 0.2 ms, that is a step off by 0.55, and the product by its whole.
  Step faster{"decode", 1, 200};
  faster.product_key = "gemm/m1_n16_k64_nn_w";
  faster.speed = 2;
  add(faster);
  const json three = reports("--prompt 100 --output 300")[0];
  EXPECT_NEAR(three["step_error_most"].get<double>(), 0.55 / 0.85, 1e-9);
  EXPECT_NEAR(three["layer_error_p90"].get<double>(), 1, 1e-9);
  EXPECT_EQ(three["measure_next"][0]["beside"], "decode at past 200, batch 1");
  EXPECT_EQ(three["measure_next"][0]["command"],
            "scripts/serve --config config.json --batch 1 --past 141,283 --precision bf16 "
            "--weights bf16 --cache bf16");
}

// The rest of a prompt after what is in the cache, as a step of its own.
TEST_F(ServeProgram, APromptMayBeInTheCacheInPart) {
  add_grid();
  EXPECT_THAT(run("--prompt 200 --cached 100 --output 200").out,
              HasSubstr("no extend step was measured"));
  // As prefill, whatever the past: 0.1 + 1 + 0.1 ms for 100 tokens, 0.1 + 2 + 0.4 for 200.
  for (const std::int64_t fresh : {100, 200}) add({"extend", 1, 100, fresh});
  const json found = reports("--prompt 200 --cached 100 --output 200 --batch 1")[0]["batches"][0];
  EXPECT_NEAR(found["first_token_seconds"].get<double>(), 1.2e-3, 1e-12);
  EXPECT_EQ(found["first_kind"], "measured");
  EXPECT_EQ(
      reports("--prompt 250 --cached 100 --output 150 --batch 1")[0]["batches"][0]["first_kind"],
      "interpolated");
  expect_error(run("--prompt 350 --cached 100 --output 50 --batch 1"),
               "scripts/serve --config config.json --batch 1 --past 100 --prompt 250 --extend");
}

// An unsupported layer is left out of all points, and said to be.
TEST_F(ServeProgram, ALayerThatNoLibrarySupportsIsNamed) {
  add_grid();
  Step step{"decode", 4, 800};
  step.unsupported = true;
  add(step, 2);
  const json found = reports("--prompt 100 --output 300 --batch 1")[0];
  EXPECT_EQ(found["partial"], true);
  EXPECT_THAT(found["left_out_layers"], testing::ElementsAre("Attention"));
  // Without attention: 0.1 + 1.1 ms.
  EXPECT_NEAR(found["batches"][0]["token_seconds"].get<double>(), 1.2e-3, 1e-12);
  EXPECT_THAT(run("--prompt 100 --output 300").out,
              HasSubstr("PARTIAL: decode steps lack layers without a time: Attention"));
}

TEST_F(ServeProgram, ComparesVariants) {
  add_grid();
  // The product twice as fast, and half the weights.
  add_grid("fp8", 2, 512);
  const json all = reports("--prompt 100 --output 300 --memory 2");
  ASSERT_EQ(all.size(), 3U);
  const json rows = all[2]["variants"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(all[2]["compared_batch"], 1);
  EXPECT_EQ(rows[1]["weights"], "fp8");
  // 0.1 + 1.1 + 0.25 ms; with half the product, 0.55 less.
  EXPECT_NEAR(rows[1]["token_ratio"].get<double>(), 0.9 / 1.45, 1e-9);
  EXPECT_EQ(rows[0]["largest_batch"], 2);
  EXPECT_EQ(rows[1]["largest_batch"], 3);
  EXPECT_NEAR(rows[1]["largest_batch_ratio"].get<double>(), 1.5, 1e-12);
  // Batch 3: 0.1 + 0.65 + 0.75 ms; of the first, batch 2 in 1.8 ms.
  EXPECT_NEAR(rows[1]["most_tokens_per_second"].get<double>(), 3 / 1.5e-3, 1e-6);
  EXPECT_NEAR(rows[1]["tokens_ratio"].get<double>(), (3 / 1.5) / (2 / 1.8), 1e-9);
}

TEST_F(ServeProgram, OtherGraphsAreRefused) {
  Step step{"decode", 1, 100};
  add(step);
  Graph graph = step.graph();
  graph.metadata.clear();
  const auto path = folder_.write("other.graph.json", graph_json(graph));
  expect_error(run("--graph " + path.string()), "has no metadata \"model\"");
  graph.metadata = step.graph().metadata;
  graph.metadata["past"] = "many";
  folder_.write("other.graph.json", graph_json(graph));
  expect_error(run("--graph " + path.string()), "past \"many\"");
  graph.metadata["past"] = "100";
  folder_.write("other.graph.json", graph_json(graph));
  expect_error(run("--graph " + path.string()), "of the same decode step of tiny");
}

}  // namespace
}  // namespace benanza::analysis
