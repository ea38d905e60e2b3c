// Two deposits, one of which may get lost; with NDEBUG nobody looks.
#include "variant_part.h"

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Deposit, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(balance == 2);
  return 0;
}
