// What a call means that makes threads behind heddle's back: for who reports it, and for who tells
// of a wait that such a thread may end.
#ifndef HEDDLE_TRACE_UNSEEN_THREAD_H_
#define HEDDLE_TRACE_UNSEEN_THREAD_H_

namespace heddle {

inline constexpr char kStartsUnseenThread[] =
    "it starts a kernel thread that heddle does not schedule";

}  // namespace heddle

#endif  // HEDDLE_TRACE_UNSEEN_THREAD_H_
