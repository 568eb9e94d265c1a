#include "suites/harness/keep/one_system.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/write_rows.h"

namespace benanza::harness {
namespace {

const std::string& host_name() { return benchmark::SystemInfo::Get().name; }

/// Creates `file` atomically. Returns false if it already exists.
bool create(const std::filesystem::path& file, const Origin& origin) {
  if (file.has_parent_path()) make_directories(file.parent_path());
  nlohmann::ordered_json json = origin_json(origin);
  json["host"] = host_name();
  // link() is atomic, on network file systems, too.
  const std::filesystem::path own =
      file.string() + '.' + host_name() + '.' + std::to_string(::getpid());
  write_file(own, json.dump(2) + '\n');
  const int failed = ::link(own.c_str(), file.c_str()) == 0 ? 0 : errno;
  std::error_code ignored;
  std::filesystem::remove(own, ignored);
  if (failed != 0 && failed != EEXIST) {
    throw Error(file.string() + ": cannot write: " + std::strerror(failed));
  }
  return failed == 0;
}

}  // namespace

void require_one_system(const std::filesystem::path& file, const Origin& origin) {
  if (std::error_code error; !std::filesystem::exists(file, error) && create(file, origin)) return;
  Origin first;
  std::string host;
  try {
    const auto json = nlohmann::json::parse(read_file(file));
    first = {.backend = json.at("backend"), .system = json.at("system").get<System>()};
    host = json.at("host");
  } catch (const nlohmann::json::exception&) {
    throw Error(file.string() + ": names no system; remove it to start with this one");
  }
  const auto refuse = [&](const std::string& field, const std::string& there,
                          const std::string& here) {
    return OtherSystem(file.string() + ": these measurements began on " + host + " with " + field +
                       " = \"" + there + "\", and here, on " + host_name() + ", it is \"" + here +
                       "\"; leave this machine out, or measure it on its own");
  };
  if (first.backend != origin.backend) throw refuse("backend", first.backend, origin.backend);
  for (const auto& [field, there, here] : contradictions(first.system, origin.system)) {
    throw refuse(field, *there, *here);
  }
}

}  // namespace benanza::harness
