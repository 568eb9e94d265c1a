// Plans that a child process builds: its answers. Compiled kernels are loaded only if there is a
// GPU.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/base/child.h"
#include "suites/cudnn/graph/plan_processes.h"

namespace benanza::cudnn {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PlanProgram : public testing::Test {
 protected:
  ~PlanProgram() override {
    if (child_.id == 0) return;
    ::kill(child_.id, SIGKILL);
    ::waitpid(child_.id, nullptr, 0);
  }

  std::string answer(std::string_view request) {
    if (!write_message(child_.to.get(), request)) return "gone";
    return read_message(child_.from.get()).value_or("gone");
  }

  int end() {
    child_.to = FileDescriptor();
    int status = 0;
    ::waitpid(child_.id, &status, 0);
    child_.id = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  Child child_ = start({.program = BENCH_CUDNN, .arguments = {std::string(plan_process_flag)}});
};

// As if another process had exclusive use of the GPU: the caller builds the plan itself.
TEST_F(PlanProgram, HasNoPlansWhereItCannotOpenTheGpu) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) GTEST_SKIP() << "there is a GPU";
  ASSERT_TRUE(write_message(child_.to.get(), "0"));
  EXPECT_EQ(read_message(child_.from.get()), "=") << "has opened the GPU, or tried";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(answer("layernorm/128x768_e1e-05_sb/fp16/plain/cudnn/engine7"), "?");
  }
  EXPECT_EQ(end(), 0);
}

TEST_F(PlanProgram, AnswersWithAPlanOfTheGpu) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
  ASSERT_TRUE(write_message(child_.to.get(), "0"));
  EXPECT_EQ(read_message(child_.from.get()), "=") << "has opened the GPU, or tried";
  EXPECT_THAT(answer("no/such/name"), StartsWith("!"));
  EXPECT_THAT(answer("relu/1x64x56x56/fp16/nchw/cudnn/activation_forward"),
              AllOf(StartsWith("!"), HasSubstr("no engine that is compiled")));
  // With the library's message.
  EXPECT_THAT(answer("layernorm/128x768_e1e-05_sb/fp16/plain/cudnn/engine123456"),
              AllOf(StartsWith("-"), HasSubstr("CUDNN_STATUS")));
  EXPECT_EQ(end(), 0);
}

TEST_F(PlanProgram, EndsWhereNobodyNamesADevice) { EXPECT_EQ(end(), 1); }

}  // namespace
}  // namespace benanza::cudnn
