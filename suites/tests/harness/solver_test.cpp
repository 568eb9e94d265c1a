#include "suites/harness/solver.h"

#include <gtest/gtest.h>

namespace benanza::harness {
namespace {

struct Library {};

Solver<Library, Activation> solver(const Algorithm& name, bool handles_steps) {
  return {.layouts = [](const Activation&) { return std::vector{Layout::plain}; },
          .algorithms = [name](Library&, const Activation&, const Variant&,
                               AlgorithmSet) { return std::vector{name}; },
          .create = [](Library&, const Activation&, const Variant&) -> std::unique_ptr<Primitive> {
            return nullptr;
          },
          .owns = [name](const Algorithm& asked) { return asked == name; },
          .handles_steps = handles_steps};
}

class TwoCalls : public SolverBackend<Library> {
 public:
  explicit TwoCalls(SolverTable<Library> solvers = table())
      : SolverBackend("the library", std::move(solvers)) {}
  std::string_view name() const override { return "two"; }
  std::vector<std::string> devices() const override { return {}; }
  System system() override { return {}; }
  Stopwatch& stopwatch() override { throw NoDevice("none"); }

 private:
  static SolverTable<Library> table() {
    SolverTable<Library> table;
    table.add(solver("plain", false));
    table.add(solver("fused", true));
    return table;
  }
  Library& library() override { return library_; }
  Library library_;
};

std::vector<Algorithm> algorithms(const char* key, Precision precision) {
  TwoCalls backend;
  return backend.algorithms(parse(key), precision, Layout::plain, AlgorithmSet::all);
}

TEST(SolverBackend, OnlySolversThatHandleStepsAreAskedForThem) {
  using Names = std::vector<Algorithm>;
  EXPECT_EQ(algorithms("relu/8", Precision::fp32), (Names{"plain", "fused"}));
  EXPECT_EQ(algorithms("relu/8_abs", Precision::fp32), Names{"fused"});
  EXPECT_EQ(algorithms("relu/8_mul_y8", Precision::fp16), Names{"fused"});
  EXPECT_EQ(algorithms("relu/8", Precision::int8), (Names{"plain", "fused"}));
  EXPECT_THROW(algorithms("relu/8_abs", Precision::int8), Unsupported);
}

TEST(SolverBackend, ACallThatWouldLeaveOutStepsIsNotMade) {
  TwoCalls backend;
  const auto create = [&](const char* key, Precision precision, const char* algorithm) {
    return backend.create({parse(key), precision, Layout::plain, algorithm});
  };
  EXPECT_NO_THROW(create("relu/8", Precision::fp32, "plain"));
  EXPECT_NO_THROW(create("relu/8_abs", Precision::fp32, "fused"));
  EXPECT_THROW(create("relu/8_abs", Precision::int8, "fused"), Unsupported);
  try {
    create("relu/8_mul_y8", Precision::fp32, "plain");
    FAIL() << "made";
  } catch (const Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "the library has no call for 'relu' with 'mul' behind it");
  }
}

TEST(SolverBackend, OfALeadingSetEverySolverGivesItsFirstThree) {
  Solver<Library, Activation> many = solver("many", false);
  many.algorithms = [](Library&, const Activation&, const Variant&, AlgorithmSet) {
    return std::vector<Algorithm>{"m1", "m2", "m3", "m4"};
  };
  SolverTable<Library> table;
  table.add(std::move(many));
  table.add(solver("other", true));
  TwoCalls backend(std::move(table));
  const auto of = [&](AlgorithmSet set) {
    return backend.algorithms(parse("relu/8"), Precision::fp32, Layout::plain, set);
  };
  using Names = std::vector<Algorithm>;
  EXPECT_EQ(of(AlgorithmSet::best), Names{"m1"});
  EXPECT_EQ(of(AlgorithmSet::leading), (Names{"m1", "m2", "m3", "other"}));
  EXPECT_EQ(of(AlgorithmSet::all), (Names{"m1", "m2", "m3", "m4", "other"}));
}

TEST(SolverBackend, ASolverMayChooseItsLeadingAlgorithms) {
  Solver<Library, Activation> many = solver("many", true);
  many.algorithms = [](Library&, const Activation&, const Variant&, AlgorithmSet) {
    return std::vector<Algorithm>{"m1", "m2", "m3", "winograd.m1"};
  };
  many.chooses_leading = true;
  SolverTable<Library> table;
  table.add(std::move(many));
  TwoCalls backend(std::move(table));
  EXPECT_EQ(
      backend.algorithms(parse("relu/8"), Precision::fp32, Layout::plain, AlgorithmSet::leading)
          .size(),
      4U);
}

// It would be asked for its algorithms, but the other solver would create the calls.
TEST(SolverTable, ASolverBehindOneThatOwnsEveryNameIsAMistake) {
  Solver<Library, Activation> owner = solver("any", false);
  owner.owns = nullptr;
  SolverTable<Library> table;
  table.add(solver("first", false));
  table.add(owner);
  EXPECT_THROW(table.add(solver("never", false)), std::logic_error);
}

}  // namespace
}  // namespace benanza::harness
