#include "suites/harness/way_table.h"

#include <gtest/gtest.h>

#include "suites/tests/asked.h"

namespace benanza::harness {
namespace {

struct Library {};

Way way_named(const Algorithm& name) {
  return {.name = name, .make = [](Operands&) -> std::unique_ptr<Primitive> { return nullptr; }};
}

Family<Library, Activation> family(const std::vector<Algorithm>& names, bool handles_steps) {
  return {.layouts = [](const Activation&) { return std::vector{Layout::plain}; },
          .ways =
              [names](Library&, const Activation&, const Variant&, AlgorithmSet) {
                std::vector<Way> ways;
                for (const Algorithm& name : names) ways.push_back(way_named(name));
                return ways;
              },
          .handles_steps = handles_steps};
}

class TwoCalls : public TableBackend<Library> {
 public:
  explicit TwoCalls(WayTable<Library> given = table())
      : TableBackend("the library", std::move(given)) {}
  std::string_view name() const override { return "two"; }
  std::vector<std::string> devices() const override { return {}; }
  System system() override { return {}; }
  Allocator& allocator() override { return host_; }
  Stopwatch& stopwatch() override { throw NoDevice("none"); }

 private:
  static WayTable<Library> table() {
    WayTable<Library> table;
    table.add(family({"plain"}, false));
    table.add(family({"fused"}, true));
    return table;
  }
  Library& library() override { return library_; }
  Library library_;
  HostAllocator host_;
};

std::vector<Algorithm> way_table_algorithms(const char* key, Precision precision) {
  TwoCalls backend;
  return harness::algorithms(backend, parse(key), precision, Layout::plain, AlgorithmSet::all);
}

TEST(TableBackend, OnlyFamiliesThatHandleStepsAreAskedForThem) {
  using Names = std::vector<Algorithm>;
  EXPECT_EQ(way_table_algorithms("relu/8", Precision::fp32), (Names{"plain", "fused"}));
  EXPECT_EQ(way_table_algorithms("relu/8_abs", Precision::fp32), Names{"fused"});
  EXPECT_EQ(way_table_algorithms("relu/8_mul_y8", Precision::fp16), Names{"fused"});
  EXPECT_EQ(way_table_algorithms("relu/8", Precision::int8), (Names{"plain", "fused"}));
  EXPECT_THROW(way_table_algorithms("relu/8_abs", Precision::int8), Unsupported);
}

TEST(TableBackend, AtInt8OnlyStepsThatKeepTheScaleOfTheResult) {
  auto scaled = family({"scaled"}, true);
  scaled.handles_int8_steps = true;
  WayTable<Library> table;
  table.add(family({"fused"}, true));
  table.add(std::move(scaled));
  TwoCalls backend(std::move(table));
  const auto names = [&](const char* key) {
    return harness::algorithms(backend, parse(key), Precision::int8, Layout::plain,
                               AlgorithmSet::all);
  };
  EXPECT_EQ(names("relu/8_mul_y8"), std::vector<Algorithm>{"scaled"});
  EXPECT_EQ(names("relu/8_mul_y1_leakyrelu_a0.1"), std::vector<Algorithm>{"scaled"});
  EXPECT_EQ(names("relu/8_add_y8_sub_y1"), std::vector<Algorithm>{"scaled"});
  for (const char* key : {"relu/8_max_y8", "relu/8_div_y8", "relu/8_abs", "relu/8_mul_y8_mul_y8"}) {
    EXPECT_THROW(names(key), Unsupported) << key;
  }
}

TEST(TableBackend, ACallThatWouldLeaveOutStepsIsNotMade) {
  TwoCalls backend;
  const auto create = [&](const char* key, Precision precision, const char* algorithm) {
    return harness::made(backend, {parse(key), precision, Layout::plain, algorithm});
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

/// Ways whose names are the keys that they are asked for.
WayTable<Library> keys_of_products() {
  WayTable<Library> table;
  table.add(Family<Library, Gemm>{.layouts = [](const Gemm&) { return std::vector{Layout::plain}; },
                                  .ways = [](Library&, const Gemm& shape, const Variant& variant,
                                             AlgorithmSet) -> std::vector<Way> {
                                    EXPECT_EQ(key({shape, {}}), key(variant.problem));
                                    return {way_named(key(variant.problem))};
                                  }});
  return table;
}

class KnowsUnsigned final : public TwoCalls {
 public:
  using TwoCalls::TwoCalls;
  bool knows_unsigned_data() const override { return true; }
};

TEST(TableBackend, SignedDataStandForUnsignedOnesThatItDoesNotKnow) {
  const std::string with_signs = "gemm/m2_n3_k4_nt_w";
  const auto asked = [](TwoCalls& backend, const std::string& key) {
    return backend.ways({parse(key), Precision::int8, Layout::plain, {}}, AlgorithmSet::all).at(0);
  };
  TwoCalls stands_in(keys_of_products());
  EXPECT_EQ(asked(stands_in, with_signs + "_u8").name, with_signs);
  EXPECT_TRUE(asked(stands_in, with_signs + "_u8").traits.signed_data);
  EXPECT_FALSE(asked(stands_in, with_signs).traits.signed_data);
  const Variant named{parse(with_signs + "_u8"), Precision::int8, Layout::plain, with_signs};
  EXPECT_TRUE(stands_in.way(named).traits.signed_data);
  KnowsUnsigned knows(keys_of_products());
  EXPECT_EQ(asked(knows, with_signs + "_u8").name, with_signs + "_u8");
  EXPECT_FALSE(asked(knows, with_signs + "_u8").traits.signed_data);
}

TEST(TableBackend, UnsignedDataAreRefusedAtOtherPrecisions) {
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp8}) {
    KnowsUnsigned backend(keys_of_products());
    const Variant variant{parse("gemm/m2_n3_k4_nt_u8"), precision, Layout::plain, "any"};
    try {
      backend.ways(variant, AlgorithmSet::all);
      FAIL() << "listed";
    } catch (const Unsupported& refusal) {
      EXPECT_STREQ(refusal.what(), "unsigned 8-bit data exist at int8 only");
    }
    EXPECT_THROW(backend.way(variant), Unsupported);
  }
}

// A call that takes plain weights would read packed ones as plain, and the other way round.
TEST(TableBackend, PackedWeightsHaveFamiliesOfTheirOwn) {
  const auto ways = [](bool packed) {
    return harness::Family<Library, Gemm>{
        .layouts = [](const Gemm&) { return std::vector{Layout::plain}; },
        .ways = [packed](Library&, const Gemm&, const Variant&,
                         AlgorithmSet) { return std::vector{way_named(packed ? "w4" : "plain")}; },
        .for_packed = packed};
  };
  WayTable<Library> table;
  table.add(ways(false));
  TwoCalls without(table);
  table.add(ways(true));
  TwoCalls backend(std::move(table));
  const Problem plain = parse("gemm/m1_n64_k64_nt_w");
  const Problem packed = parse("gemm/m1_n64_k64_nt_w_packed.int4.b32");
  const auto names = [](TwoCalls& of, const Problem& problem) {
    return harness::algorithms(of, problem, Precision::fp16, Layout::plain, AlgorithmSet::all);
  };
  EXPECT_EQ(names(backend, plain), std::vector<Algorithm>{"plain"});
  EXPECT_EQ(names(backend, packed), std::vector<Algorithm>{"w4"});
  // Either is the only one of its kind, and answers for layouts that it does not list.
  EXPECT_EQ(harness::algorithms(backend, plain, Precision::fp16, Layout::nchw, AlgorithmSet::all),
            std::vector<Algorithm>{"plain"});
  EXPECT_NO_THROW(harness::made(backend, {packed, Precision::fp16, Layout::plain, "w4"}));
  EXPECT_THROW(harness::made(backend, {packed, Precision::fp16, Layout::plain, "plain"}),
               Unsupported);
  EXPECT_THROW(harness::made(backend, {plain, Precision::fp16, Layout::plain, "w4"}), Unsupported);
  try {
    names(without, packed);
    FAIL() << "offered";
  } catch (const Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "no call that multiplies by int4 weights in blocks of 32");
  }
}

TEST(TableBackend, OfALeadingSetEveryFamilyGivesItsFirstThree) {
  auto many = family({"m1", "m2", "m3", "m4"}, false);
  WayTable<Library> table;
  table.add(std::move(many));
  table.add(family({"other"}, true));
  TwoCalls backend(std::move(table));
  const auto of = [&](AlgorithmSet set) {
    return harness::algorithms(backend, parse("relu/8"), Precision::fp32, Layout::plain, set);
  };
  using Names = std::vector<Algorithm>;
  EXPECT_EQ(of(AlgorithmSet::best), Names{"m1"});
  EXPECT_EQ(of(AlgorithmSet::leading), (Names{"m1", "m2", "m3", "other"}));
  EXPECT_EQ(of(AlgorithmSet::all), (Names{"m1", "m2", "m3", "m4", "other"}));
}

TEST(TableBackend, AFamilyMayChooseItsLeadingWays) {
  auto many = family({"m1", "m2", "m3", "winograd.m1"}, true);
  many.chooses_leading = true;
  WayTable<Library> table;
  table.add(std::move(many));
  TwoCalls backend(std::move(table));
  EXPECT_EQ(harness::algorithms(backend, parse("relu/8"), Precision::fp32, Layout::plain,
                                AlgorithmSet::leading)
                .size(),
            4U);
}

TEST(TableBackend, AWayIsMadeFromItsNameThoughAnotherFamilyRefuses) {
  auto refuses = refusing<Library, Activation>("no such thing");
  WayTable<Library> table;
  table.add(std::move(refuses));
  auto hidden = family({"listed"}, true);
  hidden.way = [](Library&, const Activation&, const Variant& variant) -> std::optional<Way> {
    if (variant.algorithm != "unlisted") return std::nullopt;
    return way_named("unlisted");
  };
  table.add(std::move(hidden));
  TwoCalls backend(std::move(table));
  const auto way = [&](const char* name) {
    return backend.way({parse("relu/8"), Precision::fp32, Layout::plain, name});
  };
  EXPECT_EQ(way("unlisted").name, "unlisted");
  try {
    way("else");
    FAIL() << "made";
  } catch (const Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "no such thing");
  }
  TwoCalls two;
  EXPECT_EQ(two.way({parse("relu/8"), Precision::fp32, Layout::plain, "fused"}).name, "fused");
  try {
    two.way({parse("relu/8"), Precision::fp32, Layout::plain, "else"});
    FAIL() << "made";
  } catch (const Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "the library has no call for 'relu' named else");
  }
}

}  // namespace
}  // namespace benanza::harness
