// benanza-analyze devices, run as a user does.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Outcome;
using test::results_text;

class DevicesProgram : public test::SmallModel {
 protected:
  /// Results of a processor called "a CPU" with `threads` threads, without `missing`.
  std::string results(const std::string& name, const std::string& threads, double seconds,
                      const std::string& missing = "") const {
    const std::string all = rows([&](const std::string& key) {
      return std::vector<double>(key == missing ? 0 : 1, seconds);
    });
    return folder_.write(name, results_text(all, threads)).string();
  }
  json devices(const std::string& arguments) const {
    const Outcome outcome = run("devices " + arguments + " --format json --graph " + graph_);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out)["reports"][0]["devices"];
  }
};

TEST_F(DevicesProgram, ComparesMachinesAndTheirPrices) {
  const std::string prices = folder_.write("p.json", R"({"a CPU": 1.8, "another": 9})").string();
  const json found = devices(results("a.json", "2", 0.002) + ' ' + results("b.json", "4", 0.001) +
                             " --prices " + prices);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]["device"], "a CPU");
  EXPECT_DOUBLE_EQ(found[0]["ratio"], 2);
  EXPECT_DOUBLE_EQ(found[1]["ratio"], 1);
  // 1.8 USD per hour are 0.0005 USD per second, times a million times the bound.
  const double seconds = found[0]["sequential_seconds"];
  EXPECT_NEAR(found[0]["usd_per_million"].get<double>(), seconds * 1e6 * 0.0005, 1e-9);
}

TEST_F(DevicesProgram, AHoleIsNoTime) {
  const std::string key = *problem_keys({read_graph(graph_)}).begin();
  const json found =
      devices(results("a.json", "2", 0.002) + ' ' + results("b.json", "4", 0.001, key));
  EXPECT_EQ(found[1]["partial"], true);
  EXPECT_TRUE(found[1]["ratio"].is_null());
  EXPECT_DOUBLE_EQ(found[0]["ratio"], 1);
}

TEST_F(DevicesProgram, EnergyStandsWhereEveryCallHasIt) {
  const std::string plain = results("b.json", "4", 0.001);
  EXPECT_FALSE(
      devices(results("a.json", "2", 0.002) + ' ' + plain)[0].contains("joules_per_sample"));
  auto metered = nlohmann::ordered_json::parse(test::contents(results("a.json", "2", 0.002)));
  // 100 W: 0.2 J in 2 ms.
  for (auto& row : metered["benchmarks"]) row["energy_joules"] = 0.2;
  const json found = devices(folder_.write("a.json", metered.dump()).string() + ' ' + plain);
  EXPECT_NEAR(found[0]["joules_per_sample"].get<double>(),
              100 * found[0]["sequential_seconds"].get<double>(), 1e-9);
  EXPECT_TRUE(found[1]["joules_per_sample"].is_null());
}

TEST_F(DevicesProgram, ABoundOfNothingIsNotZero) {
  const json found = devices(results("a.json", "2", 0.002) + ' ' + results("b.json", "4", 0.001) +
                             " --precision fp16");
  EXPECT_EQ(found[0]["partial"], true);
  EXPECT_TRUE(found[0]["sequential_seconds"].is_null());
  EXPECT_TRUE(found[0]["parallel_seconds"].is_null());
}

TEST_F(DevicesProgram, ErrorsAreOneLine) {
  const std::string one = results("a.json", "2", 0.002);
  expect_error(run("devices " + one), "--graph");
  expect_error(run("devices --graph " + graph_), "results is required");
  const std::string wrong = folder_.write("p.json", R"({"a CPU": "cheap"})").string();
  expect_error(run("devices " + one + " --graph " + graph_ + " --prices " + wrong), "USD per hour");
}

}  // namespace
}  // namespace benanza::analysis
