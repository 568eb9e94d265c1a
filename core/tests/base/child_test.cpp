#include "core/base/child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/base/error.h"

namespace benanza {
namespace {

int status_of(const Child& child) {
  int status = 0;
  ::waitpid(child.id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Child, MessagesOfAnyBytesComeBack) {
  Child child = start({.program = "/bin/sh", .arguments = {"-c", "cat <&3 >&4"}});
  for (const std::string& text :
       {std::string("a\0b\n7\n", 6), std::string(), std::string(60'000, 'x')}) {
    ASSERT_TRUE(write_message(child.to.get(), text));
    EXPECT_EQ(read_message(child.from.get()), text);
  }
  child.to = FileDescriptor();
  EXPECT_EQ(status_of(child), 0);
}

TEST(Child, SaysWhenTheOtherEndIsGone) {
  const Child child = start({.program = "/bin/sh", .arguments = {"-c", "printf '12\\nshort' >&4"}});
  EXPECT_EQ(read_message(child.from.get()), std::nullopt);
  EXPECT_EQ(status_of(child), 0);
}

TEST(Child, NoMessageIsReadWithoutALength) {
  const Child child =
      start({.program = "/bin/sh", .arguments = {"-c", "printf '1x\\nab' >&4; exit 3"}});
  EXPECT_EQ(read_message(child.from.get()), std::nullopt);
  EXPECT_EQ(status_of(child), 3);
}

TEST(Child, FindsTheEnvironmentItIsGiven) {
  const Child child = start({.program = "/bin/sh",
                             .arguments = {"-c", "printf '%d\\n%s' ${#A} \"$A\" >&4"},
                             .environment = std::vector<std::string>{"A=two words"}});
  EXPECT_EQ(read_message(child.from.get()), "two words");
  status_of(child);
}

TEST(Child, AProgramThatIsNotThereIsAnError) {
  EXPECT_THROW(start({.program = "/no/such/program"}), Error);
}

}  // namespace
}  // namespace benanza
