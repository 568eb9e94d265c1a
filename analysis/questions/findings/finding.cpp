#include "analysis/questions/findings/finding.h"

namespace benanza::analysis {

std::string_view to_string(Certainty certainty) {
  switch (certainty) {
    case Certainty::timed:
      return "timed";
    case Certainty::measured:
      return "from measured calls";
    case Certainty::estimated:
      return "estimated";
    case Certainty::at_most:
      return "at most";
  }
  return "";
}

}  // namespace benanza::analysis
