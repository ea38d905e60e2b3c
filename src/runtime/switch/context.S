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
        movzwl  4(%rsp), %ecx
        mov     %rsi, %rsp
        wrfsbase %rdx
        /* Loading them is slow, and programs that change them are rare. */
        cmp     (%rsp), %eax
        jne     2f
        cmp     4(%rsp), %cx
        jne     2f
1:      add     $8, %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbx
        pop     %rbp
        ret
2:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     1b
        .size   heddle_switch, . - heddle_switch

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
