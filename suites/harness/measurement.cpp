#include "suites/harness/measurement.h"

namespace benanza {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unsupported:
      return "unsupported";
    case Status::incorrect:
      return "incorrect";
    case Status::failed:
      return "failed";
  }
  return "failed";
}

std::optional<Status> parse_status(std::string_view text) {
  for (const Status status : {Status::ok, Status::unsupported, Status::incorrect, Status::failed}) {
    if (text == to_string(status)) return status;
  }
  return std::nullopt;
}

bool settled(const Outcome& outcome) {
  return outcome.status == Status::unsupported || outcome.engine_lost ||
         outcome.stopped_by == stopped_by_rival;
}

}  // namespace benanza
