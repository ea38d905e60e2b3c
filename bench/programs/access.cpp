// access FILE ITERATIONS: plain accesses to private memory that switch nobody, while a second
// thread sleeps. The same source is built by heddle c++ and by g++ -fsanitize=thread.
#include <semaphore.h>

#include <thread>

#include "measure.h"

constexpr int kLength = 1024;
constexpr int kRepetitions = 201;  // short ones: most of them are not interrupted

int numbers[kLength];

struct Node {
  Node* next;
};
Node nodes[kLength];

__attribute__((noinline)) int Sum(int iterations) {
  int sum = 0;
  for (int i = 0; i < iterations; ++i) sum += numbers[i & (kLength - 1)];
  return sum;
}

__attribute__((noinline)) int ReadModifyWrite(int iterations) {
  for (int i = 0; i < iterations; ++i) ++numbers[i & (kLength - 1)];
  return numbers[0];
}

__attribute__((noinline)) int Chase(int iterations) {
  Node* at = &nodes[0];
  for (int i = 0; i < iterations; ++i) at = at->next;
  return at == &nodes[0];
}

__attribute__((noinline)) int Leaf(int i) { return numbers[i & (kLength - 1)]; }

__attribute__((noinline)) int LeafCalls(int iterations) {
  int sum = 0;
  for (int i = 0; i < iterations; ++i) sum += Leaf(i);
  return sum;
}

volatile int sink;

UNSEEN void Measure(const char* file, const char* name, int (*loop)(int), int iterations) {
  static Samples samples;
  samples.count = 0;
  sink = loop(iterations);
  for (int i = 0; i < kRepetitions; ++i) {
    const std::uint64_t start = Nanoseconds();
    sink = loop(iterations);
    samples.Add(static_cast<double>(Nanoseconds() - start) / iterations);
  }
  Report(file, name, &samples);
}

int main(int, char** argv) {
  const int iterations = std::atoi(argv[2]);
  for (int i = 0; i < kLength; ++i) nodes[i].next = &nodes[(i * 5 + 1) & (kLength - 1)];
  sem_t sleeping;
  sem_t over;
  sem_init(&sleeping, 0, 0);
  sem_init(&over, 0, 0);
  std::thread sleeper([&] {
    sem_post(&sleeping);
    sem_wait(&over);
  });
  sem_wait(&sleeping);
  Measure(argv[1], "sum", Sum, iterations);
  Measure(argv[1], "read-modify-write", ReadModifyWrite, iterations);
  Measure(argv[1], "chase", Chase, iterations);
  Measure(argv[1], "leaf-call", LeafCalls, iterations);
  sem_post(&over);
  sleeper.join();
}
