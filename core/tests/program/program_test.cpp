#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/program/command.h"
#include "core/program/program_flags.h"

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Has a flag, options of every kind, an argument and a subcommand.
struct Example {
  CLI::App app{"Says moo. And more.", "cow-say"};
  bool loud = false;
  std::string mood = "calm";
  std::string file;
  double volume = 1;
  std::vector<std::string> names;

  Example() {
    app.set_help_flag("");
    app.add_flag("-l,--loud", loud, "As loud as can be");
    app.add_option("--mood", mood, "Which")
        ->check(CLI::IsMember(std::vector<std::string>{"calm", "wild"}))
        ->capture_default_str();
    app.add_option("--volume", volume, "How much")->check(CLI::Range(0.5, 2.0));
    app.add_option("--dim", file, "Its extent")->type_name("NAME=N|TENSOR:AXIS=N")->group("");
    app.add_option("--secret", file)->group("");
    app.add_option("COW", names, "Who")->required();
    CLI::App* const herd = app.add_subcommand("herd", "Many at once");
    herd->add_option("--from", file, "Folder")->required()->type_name("DIR");
  }
};

TEST(Describe, ReadsTheCommandLinesDefinition) {
  const Example example;
  const Command command = describe(example.app);
  EXPECT_EQ(command.name, "cow-say");
  ASSERT_EQ(command.options.size(), 4U);
  EXPECT_THAT(command.options[0].names, ElementsAre("-l", "--loud"));
  EXPECT_EQ(command.options[0].value, "");
  EXPECT_EQ(command.options[1].value, "calm|wild");
  EXPECT_THAT(command.options[1].choices, ElementsAre("calm", "wild"));
  EXPECT_EQ(command.options[1].default_value, "calm");
  EXPECT_THAT(command.options[2].value, StartsWith("FLOAT in [0.5"));
  // Has a help text but is hidden from --help, which shows it in another way.
  EXPECT_EQ(command.options[3].value, "NAME=N|TENSOR:AXIS=N");
  ASSERT_EQ(command.arguments.size(), 1U);
  EXPECT_THAT(command.arguments[0].names, ElementsAre("COW"));
  EXPECT_TRUE(command.arguments[0].required);
  EXPECT_TRUE(command.arguments[0].repeated);
  ASSERT_EQ(command.commands.size(), 1U);
  EXPECT_EQ(command.commands[0].options.at(0).names.at(0), "--from");
}

TEST(ManPage, HasASectionForEverySubcommand) {
  const Example example;
  const std::string page = man_page(describe(example.app), "1.2");
  EXPECT_THAT(page, StartsWith(".TH COW\\-SAY 1 \"\" \"Benanza 1.2\" \"Benanza\"\n"));
  EXPECT_THAT(page, HasSubstr("cow\\-say \\- says moo\n"));
  EXPECT_THAT(page, HasSubstr("\\fBcow\\-say\\fR [\\fIOPTION\\fR]... \\fICOMMAND\\fR ... "
                              "\\fICOW\\fR...\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-l\\fR, \\fB\\-\\-loud\\fR\nAs loud as can be\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-mood\\fR=\\fIcalm|wild\\fR\nWhich (default: calm)\n"));
  EXPECT_THAT(page, HasSubstr(".SH \"cow\\-say herd\"\nMany at once.\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-from\\fR=\\fIDIR\\fR\nFolder (required)\n"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST(ManPage, TextIsNoInstruction) {
  const Command command{.name = "x", .help = ".SH \\fB isn't `bold`"};
  EXPECT_THAT(man_page(command, "1"), HasSubstr("\n\\&.SH \\efB isn\\(aqt \\(gabold\\(ga\n"));
}

/// The text printed for a command line that requests something other than the program's work.
std::string answer(CLI::App& app, const std::vector<const char*>& words) {
  std::vector<const char*> argv{"cow-say"};
  argv.insert(argv.end(), words.begin(), words.end());
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::Success& success) {
    return success.what();
  }
  ADD_FAILURE() << "no answer";
  return {};
}

TEST(ProgramFlags, VersionSaysWhatIsLoaded) {
  Example example;
  add_program_flags(example.app, [] {
    return std::vector<LibraryVersion>{{"libmoo", "2.6.3"}, {"libcud", "9"}};
  });
  const std::string text = answer(example.app, {"--version"});
  EXPECT_THAT(text, StartsWith("cow-say " + project_version() + '\n'));
  EXPECT_THAT(text, EndsWith("\nlibmoo 2.6.3\nlibcud 9"));
}

// Works without the required arguments.
TEST(ProgramFlags, WritesItsOwnPages) {
  Example example;
  add_program_flags(example.app);
  const std::string page = man_page(describe(example.app), project_version());
  EXPECT_EQ(answer(example.app, {"--man"}) + '\n', page);
  EXPECT_THAT(page, HasSubstr("\\-\\-version"));
  EXPECT_THAT(page, Not(HasSubstr("completion")));
  EXPECT_EQ(answer(example.app, {"--completion", "bash"}) + '\n',
            bash_completion(describe(example.app)));
  EXPECT_THAT(answer(example.app, {"--completion=zsh"}), StartsWith("#compdef cow-say\n"));
  const char* const unknown[] = {"cow-say", "--completion=fish"};
  EXPECT_THROW(example.app.parse(2, unknown), CLI::ValidationError);
}

}  // namespace
}  // namespace benanza
