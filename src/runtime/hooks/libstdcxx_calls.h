/* The functions of libstdc++.so that change the links of std::map, std::set and std::list: the one
 * list.
 *
 * The containers themselves are templates, compiled into the program and instrumented; these few
 * functions are not, and without them an insertion that races with a look-up would show no write.
 * Redirected like the functions of libc_calls.h; given by their linkage names, because the hooks
 * are C.
 *
 * X(result, name, parameters, arguments)
 */
#ifndef HEDDLE_RUNTIME_HOOKS_LIBSTDCXX_CALLS_H_
#define HEDDLE_RUNTIME_HOOKS_LIBSTDCXX_CALLS_H_

/* std::_Rb_tree_node_base and std::__detail::_List_node_base, fixed by libstdc++'s ABI. */
struct HeddleTreeNode {
  int color;
  struct HeddleTreeNode* parent;
  struct HeddleTreeNode* left;
  struct HeddleTreeNode* right;
};

struct HeddleListNode {
  struct HeddleListNode* next;
  struct HeddleListNode* previous;
};

typedef struct HeddleTreeNode* HeddleTree;
typedef struct HeddleListNode* HeddleList;

#define HEDDLE_TREE_INSERT _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_
#define HEDDLE_TREE_ERASE _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_
#define HEDDLE_TREE_NEXT _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base
#define HEDDLE_TREE_NEXT_CONST _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base
#define HEDDLE_TREE_PREVIOUS _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base
#define HEDDLE_TREE_PREVIOUS_CONST _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base
#define HEDDLE_LIST_HOOK _ZNSt8__detail15_List_node_base7_M_hookEPS0_
#define HEDDLE_LIST_UNHOOK _ZNSt8__detail15_List_node_base9_M_unhookEv
#define HEDDLE_LIST_TRANSFER _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_
#define HEDDLE_LIST_REVERSE _ZNSt8__detail15_List_node_base10_M_reverseEv
#define HEDDLE_LIST_SWAP _ZNSt8__detail15_List_node_base4swapERS0_S1_

#define HEDDLE_LIBSTDCXX_CALLS(X)                                                                  \
  X(void, HEDDLE_TREE_INSERT, (_Bool left, HeddleTree node, HeddleTree parent, HeddleTree header), \
    (left, node, parent, header))                                                                  \
  X(HeddleTree, HEDDLE_TREE_ERASE, (HeddleTree node, HeddleTree header), (node, header))           \
  X(HeddleTree, HEDDLE_TREE_NEXT, (HeddleTree node), (node))                                       \
  X(HeddleTree, HEDDLE_TREE_NEXT_CONST, (HeddleTree node), (node))                                 \
  X(HeddleTree, HEDDLE_TREE_PREVIOUS, (HeddleTree node), (node))                                   \
  X(HeddleTree, HEDDLE_TREE_PREVIOUS_CONST, (HeddleTree node), (node))                             \
  X(void, HEDDLE_LIST_HOOK, (HeddleList node, HeddleList position), (node, position))              \
  X(void, HEDDLE_LIST_UNHOOK, (HeddleList node), (node))                                           \
  X(void, HEDDLE_LIST_TRANSFER, (HeddleList position, HeddleList first, HeddleList last),          \
    (position, first, last))                                                                       \
  X(void, HEDDLE_LIST_REVERSE, (HeddleList node), (node))                                          \
  X(void, HEDDLE_LIST_SWAP, (HeddleList a, HeddleList b), (a, b))

#endif /* HEDDLE_RUNTIME_HOOKS_LIBSTDCXX_CALLS_H_ */
