#include "analysis/input/print.h"

#include <cstdio>

#include "core/base/error.h"

namespace benanza::analysis {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("cannot write the report to standard output");
  }
}

}  // namespace benanza::analysis
