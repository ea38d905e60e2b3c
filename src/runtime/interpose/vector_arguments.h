// The vector registers that carry arguments, saved and brought back around a call of ours: text for
// asm().
#ifndef HEDDLE_RUNTIME_INTERPOSE_VECTOR_ARGUMENTS_H_
#define HEDDLE_RUNTIME_INTERPOSE_VECTOR_ARGUMENTS_H_

#define HEDDLE_PUSH_VECTOR_ARGUMENTS \
  "sub $128, %rsp\n"                 \
  "movups %xmm0, (%rsp)\n"           \
  "movups %xmm1, 16(%rsp)\n"         \
  "movups %xmm2, 32(%rsp)\n"         \
  "movups %xmm3, 48(%rsp)\n"         \
  "movups %xmm4, 64(%rsp)\n"         \
  "movups %xmm5, 80(%rsp)\n"         \
  "movups %xmm6, 96(%rsp)\n"         \
  "movups %xmm7, 112(%rsp)\n"

#define HEDDLE_POP_VECTOR_ARGUMENTS \
  "movups (%rsp), %xmm0\n"          \
  "movups 16(%rsp), %xmm1\n"        \
  "movups 32(%rsp), %xmm2\n"        \
  "movups 48(%rsp), %xmm3\n"        \
  "movups 64(%rsp), %xmm4\n"        \
  "movups 80(%rsp), %xmm5\n"        \
  "movups 96(%rsp), %xmm6\n"        \
  "movups 112(%rsp), %xmm7\n"       \
  "add $128, %rsp\n"

#endif  // HEDDLE_RUNTIME_INTERPOSE_VECTOR_ARGUMENTS_H_
