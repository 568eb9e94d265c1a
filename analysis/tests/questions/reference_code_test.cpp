// An answer says how much of it rests on reference code.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/questions/bound/report.h"
#include "analysis/questions/fusion/report.h"
#include "analysis/render/text.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::five;
using test::layer;
using test::measured;
using test::us;
using testing::HasSubstr;
using testing::Not;

/// A product (10 us), softmax (40 us) and relu (4 us); one call does the first and the last in 12
/// us.
struct ReferenceCase {
  Graph graph{
      .model = "m",
      .batch = 1,
      .layers = {layer("fc", {}), layer("relu", {0}), layer("softmax", {1})},
      .fusions = {
          {.pattern = "gemm_relu", .layers = {0, 1}, .problem = "gemm/m100_n200_k50_nn_w_relu"}}};
  MeasurementSet set = test::steady({{"relu", 4 * us}});

  explicit ReferenceCase(bool reference) {
    graph.layers[0].problems = {"gemm/m100_n200_k50_nn_w"};
    graph.layers[2].problems = {"softmax/100x200_a0"};
    set.add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/onednn/x", five(10 * us)));
    set.add(measured("gemm/m100_n200_k50_nn_w_relu/fp32/plain/onednn/x", five(12 * us)));
    Measurement softmax = measured("softmax/100x200_a0/fp32/plain/onednn/y", five(40 * us));
    softmax.reference = reference;
    set.add(std::move(softmax));
  }
  Section bound() const { return bound_section(make_report(graph, set, {}, Movement::exclude)); }
  Section fusion() const {
    return fusion_section(make_fusion_report(graph, set, {}, Movement::exclude));
  }
};

Page page_of(Section section) {
  Page page{.command = "bound"};
  page.sections.push_back(std::move(section));
  return page;
}

TEST(ReferenceCode, IsSaidOfABoundAndOfItsFusions) {
  const ReferenceCase given(true);
  const std::string bound = page_table(page_of(given.bound()), 10);
  EXPECT_THAT(bound, HasSubstr("1 of the 3 calls, 0.040 ms, most in softmax\n"));
  const std::string fusion = page_table(page_of(given.fusion()), 10);
  EXPECT_THAT(fusion, HasSubstr("1 of the 2 calls, 0.040 ms, most in softmax\n"));
  const json facts = json::parse(page_json(page_of(given.bound())))["reports"][0];
  EXPECT_EQ(facts.at("reference_code").at("calls"), 1);
  EXPECT_EQ(facts.at("reference_code").at("worst_layer"), "softmax");
}

TEST(ReferenceCode, IsNotMentionedWhereThereIsNone) {
  const ReferenceCase given(false);
  EXPECT_THAT(page_table(page_of(given.bound()), 10), Not(HasSubstr("reference")));
  EXPECT_THAT(page_table(page_of(given.fusion()), 10), Not(HasSubstr("reference")));
}

TEST(ReferenceCode, WeightsThatAreUnpackedAreTold) {
  ReferenceCase given(false);
  given.graph.fusions.clear();
  const std::string product = "gemm/m100_n200_k50_nt_w_packed.uint4.b32.z";
  given.graph.layers[0].problems = {product};
  given.set.add(measured(product + "/fp32/plain/onednn/unpacked.brgemm:avx2", five(9 * us)));
  const std::string bound = page_table(page_of(given.bound()), 10);
  EXPECT_THAT(bound, HasSubstr("1 of the 3 calls, 0.009 ms: unpacked at load time\n"));
  EXPECT_THAT(bound, Not(HasSubstr("reference code")));
  EXPECT_THAT(page_table(page_of(given.fusion()), 10), HasSubstr("0.009 ms: unpacked"));
  const json facts = json::parse(page_json(page_of(given.bound())))["reports"][0];
  EXPECT_EQ(facts.at("unpacked_weights").at("calls"), 1);
}

TEST(ReferenceCode, IsReadFromTheRow) {
  Row row;
  row.variant = parse_variant_name("softmax/100x200_a0/fp32/plain/onednn/y");
  row.status = Status::ok;
  row.samples = {1e-5};
  row.reference = true;
  MeasurementSet set;
  set.add(std::move(row));
  ASSERT_EQ(set.find("softmax/100x200_a0").size(), 1);
  EXPECT_TRUE(set.find("softmax/100x200_a0").front().reference);
}

}  // namespace
}  // namespace benanza::analysis
