/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose frames are described only by expressions. Each calls escape_leaf(). */
#ifdef __x86_64__
	.text

/* The frame is found by a pointer that is stored on the stack, as in code that switches stacks:
 * DW_CFA_def_cfa_expression: DW_OP_breg7 8, DW_OP_deref, DW_OP_plus_uconst 16. */
	.globl escape_cfa
	.type escape_cfa, @function
escape_cfa:
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov %rsp, %rax
	sub $64, %rsp
	.cfi_def_cfa_offset 80
	mov %rax, 8(%rsp)
	.cfi_remember_state
	.cfi_escape 0x0f, 5, 0x77, 8, 0x06, 0x23, 16
	call escape_leaf
	mov 8(%rsp), %rax
	mov %rax, %rsp
	.cfi_restore_state
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size escape_cfa, . - escape_cfa

/* The location of the return address is an expression, and %rbx is the complement of another one:
 * DW_CFA_expression 16: DW_OP_breg7 24; DW_CFA_val_expression 3: DW_OP_breg7 32, DW_OP_deref,
 * DW_OP_not. The original slot of the return address is overwritten meanwhile. */
	.globl escape_registers
	.type escape_registers, @function
escape_registers:
	.cfi_startproc
	sub $40, %rsp
	.cfi_def_cfa_offset 48
	mov 40(%rsp), %rax
	mov %rax, 24(%rsp)
	.cfi_escape 0x10, 16, 2, 0x77, 24
	movq $0, 40(%rsp)
	mov %rbx, %rax
	not %rax
	mov %rax, 32(%rsp)
	.cfi_escape 0x16, 3, 4, 0x77, 32, 0x06, 0x20
	mov $1234, %ebx
	call escape_leaf
	mov 32(%rsp), %rbx
	not %rbx
	.cfi_restore 3
	mov 24(%rsp), %rax
	mov %rax, 40(%rsp)
	.cfi_restore 16
	add $40, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size escape_registers, . - escape_registers

/* The return address is in a register while the stack is used for something else, and the frame is
 * found by an unusual register. */
	.globl escape_in_register
	.type escape_in_register, @function
escape_in_register:
	.cfi_startproc
	push %r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	push %r13
	.cfi_def_cfa_offset 24
	.cfi_offset 13, -24
	mov 16(%rsp), %r12
	.cfi_register 16, 12
	movq $0, 16(%rsp)
	mov %rsp, %r13
	.cfi_def_cfa 13, 24
	sub $8, %rsp
	and $-64, %rsp
	call escape_leaf
	mov %r13, %rsp
	.cfi_def_cfa 7, 24
	mov %r12, 16(%rsp)
	.cfi_restore 16
	.cfi_offset 16, -8
	pop %r13
	.cfi_restore 13
	.cfi_def_cfa_offset 16
	pop %r12
	.cfi_restore 12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size escape_in_register, . - escape_in_register

/* An expression that depends on %rip, as in linker-generated stubs: after the push the frame is
 * larger.
 * DW_OP_breg7 8, DW_OP_breg16 0, DW_OP_lit15, DW_OP_and, DW_OP_lit2, DW_OP_ge, DW_OP_lit3,
 * DW_OP_shl, DW_OP_plus: 8 more after the two bytes of the push. */
	.p2align 4
	.globl escape_by_place
	.type escape_by_place, @function
escape_by_place:
	.cfi_startproc
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x32, 0x2a, 0x33, 0x24, 0x22
	push %r15
	.cfi_offset 15, -16
	nop; nop; nop; nop; nop; nop; nop; nop; nop
	.cfi_def_cfa 7, 16
	call escape_leaf
	pop %r15
	.cfi_restore 15
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size escape_by_place, . - escape_by_place
#endif
	.section .note.GNU-stack, "", @progbits
