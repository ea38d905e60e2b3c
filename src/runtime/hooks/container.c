/* The links of std::map, std::set and std::list, as the program's own objects change them.
 *
 * A list's links are reported one by one. A tree's rebalancing touches nodes up to the root;
 * reported are the ones around the change and the header, which every look-up starts from.
 */
#include "hot.h"
#include "libstdcxx_calls.h"

/* An extra step, so that the names in the list are expanded. */
#define NAME_(prefix, name) prefix##name
#define NAME(prefix, name) NAME_(prefix, name)

#define DECLARE_REAL(result, name, parameters, arguments) \
  result NAME(heddle_real_, name) parameters;
HEDDLE_LIBSTDCXX_CALLS(DECLARE_REAL)

#define DEFINE(result, name, parameters, arguments, report) \
  HEDDLE_WEAK_HOOK result NAME(__wrap_, name) parameters {  \
    if (heddle_is_active()) {                               \
      const uint64_t pc = HEDDLE_CALLER;                    \
      report;                                               \
    }                                                       \
    return NAME(heddle_real_, name) arguments;              \
  }

HEDDLE_INLINE void ReadsNode(uint64_t pc, HeddleTree node) {
  heddle_range(pc, node, sizeof *node, 0);
}

HEDDLE_INLINE void WritesNode(uint64_t pc, HeddleTree node) {
  if (node != 0) heddle_range(pc, node, sizeof *node, 1);
}

static void Inserts(uint64_t pc, HeddleTree node, HeddleTree parent, HeddleTree header) {
  WritesNode(pc, header);
  if (parent != header) {
    WritesNode(pc, parent);
    if (parent->parent != header) WritesNode(pc, parent->parent);
  }
  WritesNode(pc, node);
}

static void Erases(uint64_t pc, HeddleTree node, HeddleTree header) {
  WritesNode(pc, header);
  if (node->parent != header) WritesNode(pc, node->parent);
  WritesNode(pc, node->left);
  WritesNode(pc, node->right);
  WritesNode(pc, node);
}

DEFINE(void, HEDDLE_TREE_INSERT,
       (_Bool left, HeddleTree node, HeddleTree parent, HeddleTree header),
       (left, node, parent, header), Inserts(pc, node, parent, header))
DEFINE(HeddleTree, HEDDLE_TREE_ERASE, (HeddleTree node, HeddleTree header), (node, header),
       Erases(pc, node, header))
DEFINE(HeddleTree, HEDDLE_TREE_NEXT, (HeddleTree node), (node), ReadsNode(pc, node))
DEFINE(HeddleTree, HEDDLE_TREE_NEXT_CONST, (HeddleTree node), (node), ReadsNode(pc, node))
DEFINE(HeddleTree, HEDDLE_TREE_PREVIOUS, (HeddleTree node), (node), ReadsNode(pc, node))
DEFINE(HeddleTree, HEDDLE_TREE_PREVIOUS_CONST, (HeddleTree node), (node), ReadsNode(pc, node))

HEDDLE_INLINE void WritesLink(uint64_t pc, HeddleList* link) {
  heddle_plain(pc, link, sizeof *link, 1);
}

static void Hooks(uint64_t pc, HeddleList node, HeddleList position) {
  heddle_range(pc, node, sizeof *node, 1);
  WritesLink(pc, &position->previous->next);
  WritesLink(pc, &position->previous);
}

static void Unhooks(uint64_t pc, HeddleList node) {
  heddle_range(pc, node, sizeof *node, 0);
  WritesLink(pc, &node->previous->next);
  WritesLink(pc, &node->next->previous);
}

static void Transfers(uint64_t pc, HeddleList position, HeddleList first, HeddleList last) {
  if (position == last) return;
  WritesLink(pc, &last->previous->next);
  WritesLink(pc, &first->previous->next);
  WritesLink(pc, &position->previous->next);
  WritesLink(pc, &position->previous);
  WritesLink(pc, &last->previous);
  WritesLink(pc, &first->previous);
}

static void Reverses(uint64_t pc, HeddleList list) {
  HeddleList node = list;
  do {
    heddle_range(pc, node, sizeof *node, 1);
    node = node->next;
  } while (node != list);
}

static void Swaps(uint64_t pc, HeddleList a, HeddleList b) {
  heddle_range(pc, a, sizeof *a, 1);
  heddle_range(pc, b, sizeof *b, 1);
}

DEFINE(void, HEDDLE_LIST_HOOK, (HeddleList node, HeddleList position), (node, position),
       Hooks(pc, node, position))
DEFINE(void, HEDDLE_LIST_UNHOOK, (HeddleList node), (node), Unhooks(pc, node))
DEFINE(void, HEDDLE_LIST_TRANSFER, (HeddleList position, HeddleList first, HeddleList last),
       (position, first, last), Transfers(pc, position, first, last))
DEFINE(void, HEDDLE_LIST_REVERSE, (HeddleList node), (node), Reverses(pc, node))
DEFINE(void, HEDDLE_LIST_SWAP, (HeddleList a, HeddleList b), (a, b), Swaps(pc, a, b))
