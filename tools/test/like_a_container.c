/* like_a_container COMMAND ARGS...: runs it as a default container would, an ordinary user behind a
 * filter that refuses personality (so ASLR stays on), ptrace, and what else such filters refuse.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kNobody = 65534 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), ANSWER(SECCOMP_RET_ERRNO | EPERM)

static struct sock_filter filter[] = {
    LOAD(nr),
    REFUSE(SYS_ptrace),
    REFUSE(SYS_perf_event_open),
    REFUSE(SYS_userfaultfd),
    REFUSE(SYS_process_vm_readv),
    REFUSE(SYS_process_vm_writev),
    REFUSE(SYS_bpf),
    REFUSE(SYS_mount),
    REFUSE(SYS_unshare),
    REFUSE(SYS_setns),
    REFUSE(SYS_add_key),
    REFUSE(SYS_keyctl),
    /* personality is allowed only to ask, and to set what everybody has. */
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 4),
    LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
    ANSWER(SECCOMP_RET_ERRNO | EPERM),
    ANSWER(SECCOMP_RET_ALLOW),
};

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
    perror("becoming an ordinary user");
    return 3;
  }
  const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("the filter");
    return 3;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 3;
}
