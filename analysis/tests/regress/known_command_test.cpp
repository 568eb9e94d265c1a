#include "analysis/regress/known_command.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "core/tests/folder.h"

namespace benanza::regress {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Each of both runs crashes once, as a suite does at a call that its next run leaves out.
TEST(KnownCommand, ASuiteThatCrashesIsStartedAgain) {
  const test::Folder folder;
  const std::string text = folder.write(
      "text.json", R"({"context": {"benanza": {"schema": 1, "backend": "onednn", "system":
                      {"onednn_version": "2.6.3"}}}, "benchmarks": []})");
  const std::string said = folder / "said";
  const std::string program = folder.write(
      "bench_onednn", "#!/bin/sh\nout=${6#*=}\necho \"$OMP_NUM_THREADS\" >>" + said +
                          "\n[ -e $out.once ] || { touch $out.once; kill -SEGV $$; }\ncp " + text +
                          " $out\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const KnownFailure crash{.library = "onednn", .key = "relu/8", .symptom = Symptom::crash};
  const std::vector<VersionResults> results =
      known_results({"onednn", {"here"}}, {crash}, std::filesystem::path(program).parent_path(),
                    folder / "results");
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].version_text, "2.6.3");
  EXPECT_THAT(test::contents(said), HasSubstr("8\n8\n"));
}

}  // namespace
}  // namespace benanza::regress
