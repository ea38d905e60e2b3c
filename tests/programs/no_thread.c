// A program that starts no thread is run once and said to be so.
// RUN: heddle run --runs=100
// EXPECT: no-thread
int main(void) { return 0; }
