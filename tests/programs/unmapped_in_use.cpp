// A thread unmaps what another still writes to: that it may crash depends on the order, that
// nothing orders the two does not. Joining first is right.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: kinds=crash+race
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: kinds=crash+race, complete
// RUN: heddle run --runs=50 -- join
// EXPECT: clean
#include <sys/mman.h>

#include <cassert>
#include <thread>

int main(int argc, char**) {
  constexpr std::size_t kSize = 4096;
  void* const mapped =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(mapped != MAP_FAILED);
  std::thread user([=] { static_cast<int*>(mapped)[7] = 1; });
  if (argc > 1) user.join();
  std::thread owner([=] { munmap(mapped, kSize); });
  owner.join();
  if (argc == 1) user.join();
}
