#include "suites/tests/verify/planted_errors.h"

#include <gtest/gtest.h>

#include <set>

#include "suites/tests/verify/reference_primitive.h"
#include "suites/verify/verify.h"

namespace benanza::verify {
namespace {

TEST(PlantedErrors, EveryOperatorHasOne) {
  std::set<std::size_t> covered;
  for (const PlantedError& error : planted_errors()) {
    covered.insert(parse(error.wanted).shape.index());
  }
  EXPECT_EQ(covered.size(), std::variant_size_v<Shape>);
}

TEST(PlantedErrors, OnlyTheValuesDiffer) {
  for (const PlantedError& error : planted_errors()) {
    SCOPED_TRACE(std::string(error.wanted) + " by " + error.mistaken);
    const Problem wanted = parse(error.wanted);
    const Problem mistaken = parse(error.mistaken);
    EXPECT_EQ(element_count(output(wanted)), element_count(output(mistaken)));
    const auto wanted_inputs = inputs(wanted);
    const auto mistaken_inputs = inputs(mistaken);
    ASSERT_LE(mistaken_inputs.size(), wanted_inputs.size());
    for (std::size_t i = 0; i < mistaken_inputs.size(); ++i) {
      EXPECT_EQ(element_count(wanted_inputs[i].dims), element_count(mistaken_inputs[i].dims));
    }
    EXPECT_TRUE(error.swapped || wanted != mistaken);
  }
}

TEST(PlantedErrors, AreFoundInEveryPrecisionThatShowsThem) {
  VerificationCase cache;
  for (const PlantedError& error : planted_errors()) {
    for (const Precision precision : error.precisions) {
      SCOPED_TRACE(std::string(error.what) + ": " + error.wanted + " at " +
                   std::string(to_string(precision)));
      const Problem wanted = parse(error.wanted);
      ReferencePrimitive right(wanted, precision);
      const VerificationResult accepted = verify(right, wanted, precision, cache);
      EXPECT_TRUE(accepted.ok) << accepted.message;

      Mistaken wrong(error, std::make_unique<ReferencePrimitive>(parse(error.mistaken), precision));
      EXPECT_FALSE(verify(wrong, wanted, precision, cache).ok);
    }
  }
}

}  // namespace
}  // namespace benanza::verify
