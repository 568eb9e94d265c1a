#include "suites/tests/harness/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace benanza::harness {
namespace {

/// An unlinked temporary file, so that output never blocks the program.
int anonymous_file() {
  std::string name = "/tmp/benanza-output-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) throw std::runtime_error("no temporary file");
  ::unlink(name.c_str());
  return descriptor;
}

std::string contents(int descriptor) {
  ::lseek(descriptor, 0, SEEK_SET);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(descriptor, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

[[noreturn]] void become_program(const Request& request, int out, int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : request.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  if (request.file_size_limit > 0) {
    const rlimit limit{request.file_size_limit, request.file_size_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<std::string> words{BENCH_FAKE};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(BENCH_FAKE, arguments.data());
  ::_exit(127);
}

}  // namespace

Program::Program(const Request& request) : out_(anonymous_file()), err_(anonymous_file()) {
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) become_program(request, out_, err_);
}

Program::~Program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(out_);
  ::close(err_);
}

void Program::send(int signal) const { ::kill(pid_, signal); }

Finished Program::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return {code, contents(out_), contents(err_)};
}

Finished run_program(const Request& request) { return Program(request).wait(); }

}  // namespace benanza::harness
