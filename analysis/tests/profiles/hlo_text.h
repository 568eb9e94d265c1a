#pragma once

#include <gmock/gmock.h>

#include <string>

#include "analysis/profiles/jax/hlo.h"

/// Programs in XLA's text whose "%call" is looked at.
namespace benanza::test {

using namespace analysis;

/// The only part of "%call" in this program.
inline jax::ToldPart told(const std::string& text) {
  const auto parts = jax::Program(text).told_parts("call");
  EXPECT_THAT(parts, testing::SizeIs(1)) << text;
  return parts.empty() ? jax::ToldPart() : parts.front();
}

/// Its problem, or why it has none.
inline std::string answer(const std::string& text) {
  const jax::ToldPart part = told(text);
  return part.part.problem.empty() ? "none: " + part.remark : part.part.problem;
}

inline std::string entry(const std::string& lines) { return "ENTRY %main {\n" + lines + "}\n"; }

/// 64x128 by 128x96, as XLA writes it by itself.
inline std::string dot_text(const std::string& a, const std::string& b, const std::string& result,
                            const std::string& attributes = "") {
  return entry("  %a.1 = " + a + "[64,128]{1,0} parameter(0)\n  %b.1 = " + b +
               "[128,96]{1,0} parameter(1)\n  ROOT %call = " + result +
               "[64,96]{1,0} dot(%a.1, %b.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
               attributes + ", metadata={op_name=\"jit(f)/a, b={1}\" stack_frame_id=15}\n");
}

}  // namespace benanza::test
