// A reference count that is decremented and looked at in two steps: two threads can both see zero,
// and both release the object. (after the bug class of radbench's NSPR cases)
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> references = 3;
std::atomic<int> released = 0;

void Release() {
#ifdef FIXED
  if (references.fetch_sub(1) == 1) ++released;
#else
  --references;
  if (references == 0) ++released;
#endif
}

int main() {
  std::thread one(Release), two(Release), three(Release);
  one.join();
  two.join();
  three.join();
  assert(released == 1);
}
