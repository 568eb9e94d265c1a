#include "cublas/mapping.h"

#include <gtest/gtest.h>

namespace benanza::cublas {
namespace {
TEST(Placeholder, Builds) { SUCCEED(); }
}  // namespace
}  // namespace benanza::cublas
