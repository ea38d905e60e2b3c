/* What a call has read of memory before it comes to its next access.
 *
 * A call that touches two places is two events, and others may run between them. It is made behind
 * both, in one piece, so what it read at the first is kept until then: otherwise the run would not
 * be the one that its events tell.
 */
#ifndef HEDDLE_RUNTIME_HOOKS_KEPT_H_
#define HEDDLE_RUNTIME_HOOKS_KEPT_H_

#include <stddef.h>

#include "hot.h"

void* heddle_real_memcpy(void* to, const void* from, size_t size);

/* `from`, or a copy of it as it is now: where the call's next access may be a scheduling point. */
HEDDLE_INLINE const void* heddle_kept(uint64_t pc, const void* from, size_t size) {
  const struct HeddleHot* const hot = heddle_hot;
  if (!(hot->active & HEDDLE_SEES_ACCESSES) || hot->sites[heddle_site_slot(pc)] == pc) return from;
  void* const room = heddle_room(size);
  return room == 0 ? from : heddle_real_memcpy(room, from, size);
}

#endif /* HEDDLE_RUNTIME_HOOKS_KEPT_H_ */
