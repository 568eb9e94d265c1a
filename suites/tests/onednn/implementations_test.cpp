// The ways to ask for a problem, and the names of what the library then offers.
#include "suites/onednn/ways/implementations.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "suites/onednn/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/onednn/support.h"

namespace benanza::onednn {
namespace {

TEST(OnednnImplementations, IfEveryAttemptIsRefusedTheFirstSaysWhy) {
  const auto refuses = []() -> Plan { throw dnnl::error(dnnl_unimplemented, "first words"); };
  const std::vector<Attempt> attempts{{"", refuses}, {"other.", refuses}};
  try {
    offers(attempts, harness::AlgorithmSet::all);
    FAIL();
  } catch (const harness::Unsupported& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("first words"));
  }
}

TEST(OnednnImplementations, LeadingAreTheBestOfEveryKind) {
  const auto backend = make_backend();
  const Problem problem = parse("conv/1x64x56x56_k192x3x3_p1.1.1.1_s1x1_d1x1_g1");
  const auto of = [&](harness::AlgorithmSet set) {
    return harness::algorithms(*backend, problem, Precision::fp32, Layout::any, set);
  };
  const auto all = of(harness::AlgorithmSet::all);
  const auto leading = of(harness::AlgorithmSet::leading);
  EXPECT_EQ(leading.front(), all.front());
  for (const auto& name : leading) EXPECT_THAT(all, testing::Contains(name));
  const auto count = [](const std::vector<harness::Algorithm>& names, std::string_view prefix) {
    return std::ranges::count_if(names, [&](const auto& name) { return name.starts_with(prefix); });
  };
  // With the widest instruction set only, of SSE4.1 and at least one more where the processor has
  // more; Winograd, which comes last, where there is any: with AVX-512 two kinds, 2x3 and 4x3.
  EXPECT_GE(count(all, "jit:"), has_instructions(dnnl::cpu_isa::avx2) ? 2 : 1);
  EXPECT_EQ(count(leading, "jit:"), 1);
  std::set<std::string> kinds_of_winograd;
  for (const auto& name : all) {
    if (name.starts_with("winograd.")) kinds_of_winograd.insert(name.substr(0, name.rfind(':')));
  }
  EXPECT_EQ(count(leading, "winograd."), std::ssize(kinds_of_winograd));
}

// A caller who states the problem and takes what comes gets the first of them.
TEST(OnednnImplementations, ThoseOfTheProblemAsItIsAreRanked) {
  const auto backend = make_backend();
  // A product, too: its window is one pixel.
  const Problem problem = parse("conv/1x64x14x14_k32x1x1_p0.0.0.0_s1x1_d1x1_g1");
  for (const Layout layout : {Layout::any, Layout::nhwc}) {
    double rank = 0;
    std::size_t others = 0;
    for (const auto& name : harness::algorithms(*backend, problem, Precision::fp32, layout,
                                                harness::AlgorithmSet::all)) {
      const Facts facts =
          harness::made(*backend, {problem, Precision::fp32, layout, name})->facts();
      if (name.starts_with("product.") || name.starts_with("winograd.") ||
          name.find("threads") != std::string::npos) {
        EXPECT_FALSE(facts.contains("heuristic_rank")) << name;
        ++others;
      } else {
        EXPECT_EQ(std::get<double>(facts.at("heuristic_rank")), ++rank) << name;
      }
    }
    EXPECT_GE(rank, 1);
    EXPECT_TRUE(layout == Layout::any || others > 0);
  }
}

TEST(OnednnImplementations, RepeatedNamesAreNumbered) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const VariantContext context(engine, Precision::fp32, Layout::plain);
  std::vector<Attempt> attempts{
      {.prefix = "", .plan = [&] {
         const Memory::desc format = context.plain({64});
         return Plan{.implementation = api::implementation_of<dnnl::eltwise_forward>(
                         engine, context.attributes(), dnnl::prop_kind::forward_inference,
                         dnnl::algorithm::eltwise_relu, format, format, 0.0F, 0.0F),
                     .operands = {{DNNL_ARG_SRC, floats({64})}},
                     .result = {DNNL_ARG_DST, floats({64})}};
       }}};
  const auto once = offers(attempts, harness::AlgorithmSet::with_reference);
  attempts.push_back(attempts.front());
  const auto twice = offers(attempts, harness::AlgorithmSet::with_reference);
  ASSERT_EQ(twice.size(), 2 * once.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(twice[i].name, once[i].name);
    EXPECT_EQ(twice[once.size() + i].name, once[i].name + "#2");
  }
  Library library{.engine = engine, .stream = dnnl::stream(engine)};
  EXPECT_NO_THROW(way_named(library, attempts,
                            {parse("relu/64"), Precision::fp32, Layout::plain, twice.back().name}));
}

}  // namespace
}  // namespace benanza::onednn
