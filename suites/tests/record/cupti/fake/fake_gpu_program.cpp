// A program that starts the injected library as the driver does, and then does what its arguments
// say: launch NAME, push NAME, pop, sleep MILLISECONDS, fork (a child that launches one, too),
// kill (itself), exit (without the handlers of its end).
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

template <class Function>
Function* symbol(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (address == nullptr) std::abort();
  return reinterpret_cast<Function*>(address);
}

}  // namespace

int main(int count, char** words) {
  const char* const injected = std::getenv("CUDA_INJECTION64_PATH");
  if (injected == nullptr) return 3;
  void* const injection = dlopen(injected, RTLD_NOW);
  if (injection == nullptr) return 4;
  symbol<int()>(injection, "InitializeInjection")();
  // The one that the injected library found.
  void* const cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (cupti == nullptr) return 5;
  const auto launch = symbol<void(const char*)>(cupti, "fake_launch");
  for (int at = 1; at < count; ++at) {
    const std::string_view word = words[at];
    if (word == "launch") launch(words[++at]);
    if (word == "push") symbol<void(const char*)>(cupti, "fake_push")(words[++at]);
    if (word == "pop") symbol<void()>(cupti, "fake_pop")();
    if (word == "sleep") ::usleep(static_cast<useconds_t>(std::atoi(words[++at])) * 1000);
    if (word == "kill") ::raise(SIGKILL);
    if (word == "exit") ::_exit(0);
    if (word == "fork") {
      const pid_t child = ::fork();
      if (child == 0) {
        launch("of the child, whose parent has the GPU");
        std::exit(0);
      }
      ::waitpid(child, nullptr, 0);
    }
  }
}
