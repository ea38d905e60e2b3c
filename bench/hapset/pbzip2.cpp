// A parallel compressor after pbzip2 0.9.4: the main thread reads blocks into a queue, consumers
// compress them into the output buffers, a writer puts these out in order.
//
// The main thread waits for the writer only and then deletes the queue, though a consumer may not
// have left it yet. With -DFIXED_ORDER it waits for the consumers first; what is left is the race
// for an output buffer: the writer takes it when its pointer is there, before its size is.
#include <pthread.h>
#include <unistd.h>

#include <cassert>
#include <cstring>

constexpr int kConsumers = 5;
constexpr int kBlocks = 4;
constexpr int kBlockSize = 8;

struct Queue {
  char* blocks[2] = {};
  int numbers[2] = {};
  int head = 0;
  int tail = 0;
  bool is_empty = true;
  bool is_full = false;
  pthread_mutex_t* mutex = nullptr;
  pthread_cond_t* not_full = nullptr;
  pthread_cond_t* not_empty = nullptr;
};

struct OutBuffer {
  char* data = nullptr;
  int size = 0;
};

static Queue* fifo = nullptr;
static OutBuffer out[kBlocks];
static int all_done = 0;
static int bytes_written = 0;

static Queue* NewQueue() {
  Queue* const queue = new Queue;
  queue->mutex = new pthread_mutex_t;
  queue->not_full = new pthread_cond_t;
  queue->not_empty = new pthread_cond_t;
  pthread_mutex_init(queue->mutex, nullptr);
  pthread_cond_init(queue->not_full, nullptr);
  pthread_cond_init(queue->not_empty, nullptr);
  return queue;
}

static void DeleteQueue(Queue* queue) {
  pthread_mutex_destroy(queue->mutex);
  delete queue->mutex;
  queue->mutex = nullptr;
  pthread_cond_destroy(queue->not_full);
  delete queue->not_full;
  pthread_cond_destroy(queue->not_empty);
  delete queue->not_empty;
}

static void Put(Queue* queue, char* block, int number) {
  queue->blocks[queue->tail] = block;
  queue->numbers[queue->tail] = number;
  queue->tail = (queue->tail + 1) % 2;
  queue->is_full = queue->tail == queue->head;
  queue->is_empty = false;
}

static char* Take(Queue* queue, int* number) {
  char* const block = queue->blocks[queue->head];
  *number = queue->numbers[queue->head];
  queue->head = (queue->head + 1) % 2;
  queue->is_empty = queue->head == queue->tail;
  queue->is_full = false;
  return block;
}

static void* Consume(void*) {
  while (true) {
    pthread_mutex_lock(fifo->mutex);
    while (fifo->is_empty) {
      if (all_done == 1) {
        pthread_mutex_unlock(fifo->mutex);
        return nullptr;
      }
      pthread_cond_wait(fifo->not_empty, fifo->mutex);
    }
    int number = 0;
    char* const block = Take(fifo, &number);
    pthread_mutex_unlock(fifo->mutex);
    pthread_cond_signal(fifo->not_full);

    char* const compressed = new char[kBlockSize / 2];
    for (int i = 0; i < kBlockSize / 2; ++i) compressed[i] = block[2 * i];
    delete[] block;
    out[number].data = compressed;
    out[number].size = kBlockSize / 2;
  }
}

static void* Write(void*) {
  int current = 0;
  while (current < kBlocks || all_done == 0) {
    if (current == kBlocks || out[current].data == nullptr) {
      usleep(50000);
      continue;
    }
    bytes_written += out[current].size;
    delete[] out[current].data;
    ++current;
  }
  return nullptr;
}

static void Produce() {
  for (int number = 0; number < kBlocks; ++number) {
    char* const block = new char[kBlockSize];
    memset(block, 'a' + number, kBlockSize);
    pthread_mutex_lock(fifo->mutex);
    while (fifo->is_full) pthread_cond_wait(fifo->not_full, fifo->mutex);
    Put(fifo, block, number);
    pthread_mutex_unlock(fifo->mutex);
    pthread_cond_signal(fifo->not_empty);
  }
  pthread_mutex_lock(fifo->mutex);
  all_done = 1;
  pthread_mutex_unlock(fifo->mutex);
  pthread_cond_broadcast(fifo->not_empty);
}

int main() {
  fifo = NewQueue();
  pthread_t consumers[kConsumers];
  pthread_t writer;
  for (pthread_t& consumer : consumers) pthread_create(&consumer, nullptr, Consume, nullptr);
  pthread_create(&writer, nullptr, Write, nullptr);
  Produce();
  pthread_join(writer, nullptr);
#ifdef FIXED_ORDER
  for (const pthread_t consumer : consumers) pthread_join(consumer, nullptr);
#endif
  Queue* const queue = fifo;
  fifo = nullptr;
  DeleteQueue(queue);
#ifndef FIXED_ORDER
  for (const pthread_t consumer : consumers) pthread_join(consumer, nullptr);
#endif
  delete queue;
  assert(bytes_written == kBlocks * kBlockSize / 2);
}
