/* See context.h. The frame: six callee-saved registers, then MXCSR and the x87 control word. */
        .text
        .macro  SAVE
        push    %rbp
        push    %rbx
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        sub     $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        mov     %rsp, (%rdi)
        .endm

        .globl  heddle_switch
        .hidden heddle_switch
        .type   heddle_switch, @function
heddle_switch:
        SAVE
        mov     (%rsp), %eax
        movzwl  4(%rsp), %r8d
        mov     %rsi, %rsp
        wrfsbase %rdx
        /* Loading them is slow, and programs that change them are rare. */
        cmp     (%rsp), %eax
        jne     2f
        cmp     4(%rsp), %r8w
        jne     2f
1:      add     $8, %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbx
        pop     %rbp
        test    %cl, %cl
        jne     3f
        ret
3:      pop     %rcx
        jmp     *%rcx
2:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     1b
        .size   heddle_switch, . - heddle_switch

        /* For the unwinder the frame is that of whoever called heddle_switch there. */
        .globl  heddle_visit
        .hidden heddle_visit
        .type   heddle_visit, @function
heddle_visit:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        push    %r12
        .cfi_def_cfa_offset 24
        .cfi_offset %r12, -24
        push    %r13
        .cfi_def_cfa_offset 32
        .cfi_offset %r13, -32
        .cfi_remember_state
        mov     %rsp, %r12
        rdfsbase %r13
        mov     %rdi, %rsp
        wrfsbase %rsi
        mov     48(%rsp), %rbp
        mov     %rcx, %rdi
        .cfi_def_cfa %rsp, 64
        .cfi_offset %rbp, -16
        .cfi_offset %rbx, -24
        .cfi_offset %r12, -32
        .cfi_offset %r13, -40
        .cfi_offset %r14, -48
        .cfi_offset %r15, -56
        call    *%rdx
        wrfsbase %r13
        mov     %r12, %rsp
        .cfi_restore_state
        pop     %r13
        .cfi_def_cfa_offset 24
        pop     %r12
        .cfi_def_cfa_offset 16
        pop     %rbp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   heddle_visit, . - heddle_visit

        .globl  heddle_park
        .hidden heddle_park
        .type   heddle_park, @function
heddle_park:
        SAVE
        mov     %rsi, %rsp
        xor     %ebp, %ebp
        mov     %rcx, %rdi
        call    *%rdx
        ud2
        .size   heddle_park, . - heddle_park

        .section .note.GNU-stack,"",@progbits
