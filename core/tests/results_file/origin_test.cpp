#include "core/results_file/origin.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace benanza {
namespace {

Origin origin_of(System system) { return {.backend = "b", .system = std::move(system)}; }

TEST(LibraryName, HasTheVersionUnderEitherField) {
  EXPECT_EQ(library_name("cudnn", {{"cudnn", "9.19.0"}}), "cudnn 9.19.0");
  EXPECT_EQ(library_name("onednn", {{"onednn_version", "3.2.0"}, {"threads", "2"}}),
            "onednn 3.2.0");
  EXPECT_EQ(library_name("mpi", {{"threads", "2"}}), "mpi");
}

TEST(SameSystem, WhatOneFileAloneTellsSetsNothingApart) {
  const System older{{"device", "A"}};
  const System newer{{"cache_bytes", "5"}, {"device", "A"}};
  EXPECT_EQ(differences(older, newer).size(), 1U);
  EXPECT_TRUE(contradictions(older, newer).empty());
  EXPECT_NO_THROW(require_same_system(origin_of(older), origin_of(newer)));
}

// Earlier versions measured on small pages.
TEST(SameSystem, WhatWasTheCaseBeforeIsKnown) {
  const System older{{"device", "A"}};
  EXPECT_EQ(contradictions(older, {{"device", "A"}, {"large_pages", "yes"}}).size(), 1U);
  EXPECT_TRUE(differences(older, {{"device", "A"}, {"large_pages", "no"}}).empty());
}

TEST(SameSystem, WhatBothTellMustAgree) {
  const System one{{"cache_bytes", "5"}, {"device", "A"}};
  const System other{{"device", "B"}};
  ASSERT_EQ(contradictions(one, other).size(), 1U);
  EXPECT_EQ(contradictions(one, other)[0].field, "device");
  EXPECT_THROW(require_same_system(origin_of(one), origin_of(other)), Error);
}

}  // namespace
}  // namespace benanza
