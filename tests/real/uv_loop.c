/* libuv: its thread pool, a timer, an asynchronous handle woken by another thread, its own locks.
 * -DRACY: the work adds to a plain number. */
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

static int sum = 0, done = 0, woken = 0, fired = 0;
static uv_mutex_t lock;
static uv_async_t async;
static uv_timer_t timer;

static void Work(uv_work_t* request) {
  (void)request;
#ifndef RACY
  uv_mutex_lock(&lock);
#endif
  sum = sum + 1;
#ifndef RACY
  uv_mutex_unlock(&lock);
#endif
}

static void Done(uv_work_t* request, int status) {
  (void)request;
  assert(status == 0);
  ++done;
}

static void Wake(void* argument) { uv_async_send((uv_async_t*)argument); }

static void Woken(uv_async_t* handle) {
  ++woken;
  uv_close((uv_handle_t*)handle, NULL);
}

static void Fired(uv_timer_t* handle) {
  ++fired;
  uv_close((uv_handle_t*)handle, NULL);
}

int main(void) {
  setenv("UV_THREADPOOL_SIZE", "2", 1);
  uv_loop_t* const loop = uv_default_loop();
  assert(uv_mutex_init(&lock) == 0);
  assert(uv_async_init(loop, &async, Woken) == 0);
  assert(uv_timer_init(loop, &timer) == 0);
  assert(uv_timer_start(&timer, Fired, 1000, 0) == 0);
  uv_work_t requests[2];
  for (int i = 0; i < 2; ++i) assert(uv_queue_work(loop, &requests[i], Work, Done) == 0);
  uv_thread_t thread;
  assert(uv_thread_create(&thread, Wake, &async) == 0);
  assert(uv_run(loop, UV_RUN_DEFAULT) == 0);
  uv_thread_join(&thread);
  assert(sum == 2 && done == 2 && woken == 1 && fired == 1);
  uv_mutex_destroy(&lock);
}
