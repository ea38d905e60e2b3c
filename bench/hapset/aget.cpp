// A downloader after aget 0.4: every worker fetches a segment of the file and adds what it wrote to
// a common counter, under a lock; the thread that draws the progress bar reads the counter without
// it, twice where it should once.
#include <pthread.h>
#include <unistd.h>

#include <cassert>
#include <cstring>

#ifndef THREADS
#define THREADS 2
#endif
constexpr int kChunk = 4;
constexpr int kChunks = 3;
constexpr int kSegment = kChunk * kChunks;
constexpr long kLength = THREADS * kSegment;

struct Request {
  int first = 0;
  int last = 0;
  int offset = 0;
  int status = 0;
};

static char remote[kLength];
static char file[kLength];
static Request requests[THREADS];
static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static long written = 0;
static int shown_percent = 0;

static int Receive(char* buffer, int offset) {
  memcpy(buffer, remote + offset, kChunk);
  return kChunk;
}

static void* Download(void* argument) {
  Request* const request = static_cast<Request*>(argument);
  char buffer[kChunk];
  request->offset = request->first;
  while (request->offset < request->last) {
    const int received = Receive(buffer, request->offset);
    memcpy(file + request->offset, buffer, received);
    request->offset += received;
    pthread_mutex_lock(&written_lock);
    written += received;
    pthread_mutex_unlock(&written_lock);
  }
  request->status = 1;
  return nullptr;
}

static void* ShowProgress(void*) {
  while (true) {
    const int percent = static_cast<int>(written * 100 / kLength);
    if (percent > shown_percent) shown_percent = percent;
    if (written == kLength) break;
    usleep(1000);
  }
  // The bar is left as it is: it should be full.
  assert(shown_percent == 100);
  return nullptr;
}

int main() {
  for (int i = 0; i < kLength; ++i) remote[i] = static_cast<char>('a' + i % 26);
  pthread_t bar;
  pthread_t workers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    requests[i].first = i * kSegment;
    requests[i].last = (i + 1) * kSegment;
    pthread_create(&workers[i], nullptr, Download, &requests[i]);
  }
  pthread_create(&bar, nullptr, ShowProgress, nullptr);
  for (int i = 0; i < THREADS; ++i) pthread_join(workers[i], nullptr);
  pthread_join(bar, nullptr);
  for (int i = 0; i < THREADS; ++i) assert(requests[i].status == 1);
  assert(memcmp(file, remote, kLength) == 0);
}
