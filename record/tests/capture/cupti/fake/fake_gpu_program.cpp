// A program that loads the injected library like the driver does (with "early NAME" first, it does
// as NVTX does before, and enters a range of that name), and then follows its arguments:
// launch NAME, allocate ADDRESS, free ADDRESS, wait, kind NUMBER (fails if such records are
// enabled), graph, push NAME, pop, on, off (wait until recording is on or off), flushed (wait until
// everything recorded so far is in the journal), signal NUMBER (to its parent), fork (a child that
// launches, too), kill (itself), exit (without running exit handlers).
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
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

template <class Condition>
void await(Condition condition) {
  while (!condition()) ::usleep(1000);
}

}  // namespace

int main(int count, char** words) {
  const char* const injected = std::getenv("CUDA_INJECTION64_PATH");
  if (injected == nullptr) return 3;
  void* const injection = dlopen(injected, RTLD_NOW);
  if (injection == nullptr) return 4;
  const bool is_early = count > 2 && std::string_view(words[1]) == "early";
  if (is_early) {
    symbol<int(void*)>(injection, "InitializeInjectionNvtx2")(nullptr);
    symbol<void(const char*)>(dlopen("libcupti.so.13", RTLD_NOW), "fake_push")(words[2]);
  }
  symbol<int()>(injection, "InitializeInjection")();
  // The instance that the injected library has loaded.
  void* const cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (cupti == nullptr) return 5;
  const auto launch = symbol<void(const char*)>(cupti, "fake_launch");
  const auto is_on = symbol<int()>(cupti, "fake_is_on");
  const auto flushes = symbol<int()>(cupti, "fake_flushes");
  for (int at = is_early ? 3 : 1; at < count; ++at) {
    const std::string_view word = words[at];
    if (word == "launch") launch(words[++at]);
    if (word == "wait") symbol<void()>(cupti, "fake_wait")();
    if (word == "kind" && symbol<int(int)>(cupti, "fake_is_enabled")(std::atoi(words[++at])) != 0) {
      return 6;
    }
    if (word == "allocate" || word == "free") {
      symbol<void(std::uint64_t, int)>(cupti, "fake_memory")(
          static_cast<std::uint64_t>(std::atoi(words[++at])), word == "free" ? 1 : 0);
    }
    if (word == "graph") symbol<void()>(cupti, "fake_graph")();
    if (word == "push") symbol<void(const char*)>(cupti, "fake_push")(words[++at]);
    if (word == "pop") symbol<void()>(cupti, "fake_pop")();
    if (word == "on" || word == "off") {
      await([&] { return is_on() == (word == "on" ? 1 : 0); });
    }
    if (word == "flushed") {
      // The journal is written after CUPTI's flush and before the next one.
      const int before = flushes();
      await([&] { return flushes() >= before + 2; });
    }
    if (word == "signal") ::kill(::getppid(), std::atoi(words[++at]));
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
