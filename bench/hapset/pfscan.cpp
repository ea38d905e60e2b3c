// A parallel file scanner after pfscan 1.0: the main thread puts names into a queue, workers scan
// the files, and the main thread waits until no worker is active. How many are active is written
// down too late: a worker that has ended by then is waited for.
#include <pthread.h>

#include <cstring>

constexpr int kWorkers = 2;
constexpr int kFiles = 4;
constexpr int kQueueSize = 2;

struct PathQueue {
  const char* paths[kQueueSize] = {};
  int in = 0;
  int out = 0;
  int count = 0;
  bool is_closed = false;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t more = PTHREAD_COND_INITIALIZER;
  pthread_cond_t less = PTHREAD_COND_INITIALIZER;
};

static PathQueue queue;
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t workers_changed = PTHREAD_COND_INITIALIZER;
static int active_workers = 0;
static int matches = 0;
static int scanned_bytes = 0;

static void PutPath(const char* path) {
  pthread_mutex_lock(&queue.mutex);
  while (queue.count == kQueueSize) pthread_cond_wait(&queue.less, &queue.mutex);
  queue.paths[queue.in] = path;
  queue.in = (queue.in + 1) % kQueueSize;
  ++queue.count;
  pthread_cond_signal(&queue.more);
  pthread_mutex_unlock(&queue.mutex);
}

static const char* GetPath() {
  pthread_mutex_lock(&queue.mutex);
  while (queue.count == 0 && !queue.is_closed) pthread_cond_wait(&queue.more, &queue.mutex);
  const char* path = nullptr;
  if (queue.count > 0) {
    path = queue.paths[queue.out];
    queue.out = (queue.out + 1) % kQueueSize;
    --queue.count;
    pthread_cond_signal(&queue.less);
  }
  pthread_mutex_unlock(&queue.mutex);
  return path;
}

static void ClosePaths() {
  pthread_mutex_lock(&queue.mutex);
  queue.is_closed = true;
  pthread_cond_broadcast(&queue.more);
  pthread_mutex_unlock(&queue.mutex);
}

static void Scan(const char* path) {
  const int bytes = static_cast<int>(strlen(path));
  pthread_mutex_lock(&matches_lock);
  scanned_bytes += bytes;
  if (path[0] == 'b') ++matches;
  pthread_mutex_unlock(&matches_lock);
}

static void* Work(void*) {
  while (const char* const path = GetPath()) Scan(path);
  pthread_mutex_lock(&workers_lock);
  --active_workers;
  pthread_cond_signal(&workers_changed);
  pthread_mutex_unlock(&workers_lock);
  return nullptr;
}

int main() {
  static const char* const kPaths[kFiles] = {"a.txt", "b.txt", "c.txt", "d.txt"};
  pthread_t workers[kWorkers];
  for (pthread_t& worker : workers) pthread_create(&worker, nullptr, Work, nullptr);
  for (const char* const path : kPaths) PutPath(path);
  ClosePaths();
  pthread_mutex_lock(&workers_lock);
  active_workers = kWorkers;
  while (active_workers > 0) pthread_cond_wait(&workers_changed, &workers_lock);
  pthread_mutex_unlock(&workers_lock);
  for (const pthread_t worker : workers) pthread_join(worker, nullptr);
  return matches == 1 ? 0 : 1;
}
