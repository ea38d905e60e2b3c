// Two threads, one ordinary and one recursive mutex; with an argument, by another way through it.
// With "copy FROM TO" it copies a file first.
#include <pthread.h>

#include <filesystem>
#include <thread>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int count = 0, nested = 0;

static void __attribute__((noinline)) Add(int depth) {
  if (depth > 0) return Add(depth - 1);
  pthread_mutex_lock(&plain);
  ++count;
  pthread_mutex_unlock(&plain);
}

static void Work(int depth) {
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  ++nested;
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  Add(depth);
  Add(depth + 2);
}

int main(int arguments, char** words) {
  if (arguments == 4) {
    std::filesystem::copy_file(words[2], words[3],
                               std::filesystem::copy_options::overwrite_existing);
  }
  const int depth = arguments - 1;
  std::thread one(Work, depth), two(Work, depth + 1);
  one.join();
  two.join();
}
