// Semaphores, locks, monitors, ports and the selective wait, as textbooks define them.
//
//   heddle::Semaphore, BinarySemaphore      P and V
//   heddle::Lock                            has an owner, recursive; std::lock_guard takes it
//   heddle::MonitorSC, MonitorSU, Condition signal-and-continue, signal-and-urgent-wait
//   heddle::AsyncPort<T>, SyncPort<T>       messages with and without a buffer; many senders, one
//   receiver heddle::Select                          waits for a message at one of several ports,
//   with guards
//
// An ordinary library with real threads; under heddle every operation is announced, so that
// `--strategy=reachability` exercises every behaviour of a program that communicates through these
// objects only, each once. Misuse throws heddle::SyncError.
#ifndef HEDDLE_SYNC_H_
#define HEDDLE_SYNC_H_

#include <heddle/sync/lock.h>
#include <heddle/sync/monitor.h>
#include <heddle/sync/port.h>
#include <heddle/sync/select.h>
#include <heddle/sync/semaphore.h>

#endif  // HEDDLE_SYNC_H_
