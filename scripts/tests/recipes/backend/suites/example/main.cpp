#include "suites/example/backend.h"
#include "suites/harness/bench_main.h"

int main(int argc, char** argv) {
  return benanza::bench_main(argc, argv, *benanza::example::make_backend(),
                             benanza::registration());
}
