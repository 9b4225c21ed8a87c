/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Linux perf_event_open(2) ABI, with Linux's own names: constants, perf_event_attr, records and
 * the metadata page. struct perf_event_attr is as after Linux 7.1: 176 bytes, up to
 * sample_simd_vec_reg_user.
 *
 * Include this file instead of <linux/perf_event.h>: an installed header may be older than the
 * running kernel, and other systems do not have one. Including the Linux header after this file has
 * no effect; including it before this file is a compile-time error.
 *
 * The definitions follow perf_event_open(2) and the ABI header of Linux 6.19.
 *
 * This file declares no functions.
 */
#ifndef TALLY_ABI_H
#define TALLY_ABI_H

#ifdef PERF_ATTR_SIZE_VER0
#error "include tally/abi.h instead of linux/perf_event.h, or include it first"
#endif
#define _LINUX_PERF_EVENT_H
#define _UAPI_LINUX_PERF_EVENT_H

#include <stdint.h>

/* Anonymous structures and unions are a C11 feature that C++ compilers accept as an extension. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#endif

/* ---- perf_event_attr ---------------------------------------------------- */

enum perf_type_id {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_HW_CACHE = 3,
	PERF_TYPE_RAW = 4,
	PERF_TYPE_BREAKPOINT = 5,
};

/* For PERF_TYPE_HARDWARE and PERF_TYPE_HW_CACHE, config bits 32..63 may select one PMU of a hybrid
 * CPU. */
#define PERF_PMU_TYPE_SHIFT 32
#define PERF_HW_EVENT_MASK  0xffffffff

enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES = 0,
	PERF_COUNT_HW_INSTRUCTIONS = 1,
	PERF_COUNT_HW_CACHE_REFERENCES = 2,
	PERF_COUNT_HW_CACHE_MISSES = 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS = 4,
	PERF_COUNT_HW_BRANCH_MISSES = 5,
	PERF_COUNT_HW_BUS_CYCLES = 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND = 7,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND = 8,
	PERF_COUNT_HW_REF_CPU_CYCLES = 9,
	PERF_COUNT_HW_MAX
};

/* For PERF_TYPE_HW_CACHE, config = id | op << 8 | result << 16. */
enum perf_hw_cache_id {
	PERF_COUNT_HW_CACHE_L1D = 0,
	PERF_COUNT_HW_CACHE_L1I = 1,
	PERF_COUNT_HW_CACHE_LL = 2,
	PERF_COUNT_HW_CACHE_DTLB = 3,
	PERF_COUNT_HW_CACHE_ITLB = 4,
	PERF_COUNT_HW_CACHE_BPU = 5,
	PERF_COUNT_HW_CACHE_NODE = 6,
	PERF_COUNT_HW_CACHE_MAX
};

enum perf_hw_cache_op_id {
	PERF_COUNT_HW_CACHE_OP_READ = 0,
	PERF_COUNT_HW_CACHE_OP_WRITE = 1,
	PERF_COUNT_HW_CACHE_OP_PREFETCH = 2,
	PERF_COUNT_HW_CACHE_OP_MAX
};

enum perf_hw_cache_op_result_id {
	PERF_COUNT_HW_CACHE_RESULT_ACCESS = 0,
	PERF_COUNT_HW_CACHE_RESULT_MISS = 1,
	PERF_COUNT_HW_CACHE_RESULT_MAX
};

enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK = 0,
	PERF_COUNT_SW_TASK_CLOCK = 1,
	PERF_COUNT_SW_PAGE_FAULTS = 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
	PERF_COUNT_SW_CPU_MIGRATIONS = 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN = 5,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6,
	PERF_COUNT_SW_ALIGNMENT_FAULTS = 7,
	PERF_COUNT_SW_EMULATION_FAULTS = 8,
	PERF_COUNT_SW_DUMMY = 9,
	PERF_COUNT_SW_BPF_OUTPUT = 10,
	PERF_COUNT_SW_CGROUP_SWITCHES = 11,
	PERF_COUNT_SW_MAX
};

/* Values of bp_type for PERF_TYPE_BREAKPOINT (linux/hw_breakpoint.h). */
enum {
	HW_BREAKPOINT_EMPTY = 0,
	HW_BREAKPOINT_R = 1,
	HW_BREAKPOINT_W = 2,
	HW_BREAKPOINT_RW = 3,
	HW_BREAKPOINT_X = 4,
};

enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_READ = 1U << 4,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_STREAM_ID = 1U << 9,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_BRANCH_STACK = 1U << 11,
	PERF_SAMPLE_REGS_USER = 1U << 12,
	PERF_SAMPLE_STACK_USER = 1U << 13,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_REGS_INTR = 1U << 18,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_AUX = 1U << 20,
	PERF_SAMPLE_CGROUP = 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
	PERF_SAMPLE_MAX = 1U << 25,
};
#define PERF_SAMPLE_WEIGHT_TYPE (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1U << 1,
	PERF_FORMAT_ID = 1U << 2,
	PERF_FORMAT_GROUP = 1U << 3,
	PERF_FORMAT_LOST = 1U << 4,
	PERF_FORMAT_MAX = 1U << 5,
};

enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER = 1U << 0,
	PERF_SAMPLE_BRANCH_KERNEL = 1U << 1,
	PERF_SAMPLE_BRANCH_HV = 1U << 2,
	PERF_SAMPLE_BRANCH_ANY = 1U << 3,
	PERF_SAMPLE_BRANCH_ANY_CALL = 1U << 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN = 1U << 5,
	PERF_SAMPLE_BRANCH_IND_CALL = 1U << 6,
	PERF_SAMPLE_BRANCH_ABORT_TX = 1U << 7,
	PERF_SAMPLE_BRANCH_IN_TX = 1U << 8,
	PERF_SAMPLE_BRANCH_NO_TX = 1U << 9,
	PERF_SAMPLE_BRANCH_COND = 1U << 10,
	PERF_SAMPLE_BRANCH_CALL_STACK = 1U << 11,
	PERF_SAMPLE_BRANCH_IND_JUMP = 1U << 12,
	PERF_SAMPLE_BRANCH_CALL = 1U << 13,
	PERF_SAMPLE_BRANCH_NO_FLAGS = 1U << 14,
	PERF_SAMPLE_BRANCH_NO_CYCLES = 1U << 15,
	PERF_SAMPLE_BRANCH_TYPE_SAVE = 1U << 16,
	PERF_SAMPLE_BRANCH_HW_INDEX = 1U << 17,
	PERF_SAMPLE_BRANCH_PRIV_SAVE = 1U << 18,
	PERF_SAMPLE_BRANCH_COUNTERS = 1U << 19,
	PERF_SAMPLE_BRANCH_MAX = 1U << 20,
};

#define PERF_ATTR_SIZE_VER0  64  /* first published size */
#define PERF_ATTR_SIZE_VER1  72  /* config2 */
#define PERF_ATTR_SIZE_VER2  80  /* branch_sample_type */
#define PERF_ATTR_SIZE_VER3  96  /* sample_regs_user, sample_stack_user */
#define PERF_ATTR_SIZE_VER4  104 /* sample_regs_intr */
#define PERF_ATTR_SIZE_VER5  112 /* aux_watermark */
#define PERF_ATTR_SIZE_VER6  120 /* aux_sample_size */
#define PERF_ATTR_SIZE_VER7  128 /* sig_data */
#define PERF_ATTR_SIZE_VER8  136 /* config3 */
#define PERF_ATTR_SIZE_VER9  144 /* config4 */
#define PERF_ATTR_SIZE_VER10 176 /* sample_simd_* */

/* An event to count or sample; see perf_event_open(2), "Arguments". */
struct perf_event_attr {
	uint32_t type; /* enum perf_type_id, or the type of a dynamic PMU */
	uint32_t size; /* PERF_ATTR_SIZE_VER*; 0 means VER0 */
	uint64_t config;
	union {
		uint64_t sample_period;
		uint64_t sample_freq;
	};
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1,
		exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1, mmap : 1, comm : 1, freq : 1,
		inherit_stat : 1, enable_on_exec : 1, task : 1, watermark : 1, precise_ip : 2,
		mmap_data : 1, sample_id_all : 1, exclude_host : 1, exclude_guest : 1,
		exclude_callchain_kernel : 1, exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1,
		use_clockid : 1, context_switch : 1, write_backward : 1, namespaces : 1,
		ksymbol : 1, bpf_event : 1, aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1,
		inherit_thread : 1, remove_on_exec : 1, sigtrap : 1, defer_callchain : 1,
		defer_output : 1, __reserved_1 : 24;
	union {
		uint32_t wakeup_events;
		uint32_t wakeup_watermark;
	};
	uint32_t bp_type;
	union {
		uint64_t bp_addr;
		uint64_t kprobe_func;
		uint64_t uprobe_path;
		uint64_t config1;
	};
	union {
		uint64_t bp_len;
		uint64_t kprobe_addr;
		uint64_t probe_offset;
		uint64_t config2;
	};
	uint64_t branch_sample_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t __reserved_2;
	uint32_t aux_sample_size;
	union {
		uint32_t aux_action;
		struct {
			uint32_t aux_start_paused : 1, aux_pause : 1, aux_resume : 1,
				__reserved_3 : 29;
		};
	};
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
	/* If sample_simd_regs_enabled is not 0, the register sets of samples also contain vector
	 * and predicate registers: those in the masks, each with this number of 64-bit words. */
	uint16_t sample_simd_regs_enabled;
	uint16_t sample_simd_pred_reg_qwords;
	uint16_t sample_simd_vec_reg_qwords;
	uint16_t __reserved_4;
	uint32_t sample_simd_pred_reg_intr;
	uint32_t sample_simd_pred_reg_user;
	uint64_t sample_simd_vec_reg_intr;
	uint64_t sample_simd_vec_reg_user;
};

/* ---- system call -------------------------------------------------------- */

#define PERF_FLAG_FD_NO_GROUP (1UL << 0)
#define PERF_FLAG_FD_OUTPUT   (1UL << 1)
#define PERF_FLAG_PID_CGROUP  (1UL << 2)
#define PERF_FLAG_FD_CLOEXEC  (1UL << 3)

/* Linux's generic _IOC encoding: dir 30..31, size 16..29, type 8..15, nr 0..7. */
#define TALLY_PERF_IOC(dir, nr, size) ((dir) << 30 | (unsigned)(size) << 16 | '$' << 8 | (nr))

#define PERF_EVENT_IOC_ENABLE            TALLY_PERF_IOC(0U, 0, 0)
#define PERF_EVENT_IOC_DISABLE           TALLY_PERF_IOC(0U, 1, 0)
#define PERF_EVENT_IOC_REFRESH           TALLY_PERF_IOC(0U, 2, 0)
#define PERF_EVENT_IOC_RESET             TALLY_PERF_IOC(0U, 3, 0)
#define PERF_EVENT_IOC_PERIOD            TALLY_PERF_IOC(1U, 4, sizeof(uint64_t))
#define PERF_EVENT_IOC_SET_OUTPUT        TALLY_PERF_IOC(0U, 5, 0)
#define PERF_EVENT_IOC_SET_FILTER        TALLY_PERF_IOC(1U, 6, sizeof(char *))
#define PERF_EVENT_IOC_ID                TALLY_PERF_IOC(2U, 7, sizeof(uint64_t *))
#define PERF_EVENT_IOC_SET_BPF           TALLY_PERF_IOC(1U, 8, sizeof(uint32_t))
#define PERF_EVENT_IOC_PAUSE_OUTPUT      TALLY_PERF_IOC(1U, 9, sizeof(uint32_t))
#define PERF_EVENT_IOC_QUERY_BPF         TALLY_PERF_IOC(3U, 10, sizeof(void *))
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES TALLY_PERF_IOC(1U, 11, sizeof(void *))

enum perf_event_ioc_flags { PERF_IOC_FLAG_GROUP = 1U << 0 };

/* ---- metadata page ------------------------------------------------------ */

/* The first page of an event's mapping; see perf_event_open(2), "MMAP layout". */
struct perf_event_mmap_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock; /* seqlock around the fields up to time_cycles */
	uint32_t index;
	int64_t offset;
	uint64_t time_enabled;
	uint64_t time_running;
	union {
		uint64_t capabilities;
		struct {
			uint64_t cap_bit0 : 1, cap_bit0_is_deprecated : 1, cap_user_rdpmc : 1,
				cap_user_time : 1, cap_user_time_zero : 1, cap_user_time_short : 1,
				cap_____res : 58;
		};
	};
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t __reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t __reserved[116 * 8];
	uint64_t data_head; /* written by the kernel; read it with acquire semantics */
	uint64_t data_tail; /* written by user space with release semantics */
	uint64_t data_offset;
	uint64_t data_size;
	uint64_t aux_head;
	uint64_t aux_tail;
	uint64_t aux_offset;
	uint64_t aux_size;
};

/* ---- records ------------------------------------------------------------ */

struct perf_event_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

enum perf_event_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_MAX
};

#define PERF_RECORD_MISC_CPUMODE_MASK    (7 << 0)
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN (0 << 0)
#define PERF_RECORD_MISC_KERNEL          (1 << 0)
#define PERF_RECORD_MISC_USER            (2 << 0)
#define PERF_RECORD_MISC_HYPERVISOR      (3 << 0)
#define PERF_RECORD_MISC_GUEST_KERNEL    (4 << 0)
#define PERF_RECORD_MISC_GUEST_USER      (5 << 0)
/* The meaning of bits 12..15 depends on the record type. */
#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT (1 << 12) /* MMAP synthesized by perf */
#define PERF_RECORD_MISC_MMAP_DATA              (1 << 13) /* MMAP, MMAP2 */
#define PERF_RECORD_MISC_COMM_EXEC              (1 << 13) /* COMM */
#define PERF_RECORD_MISC_FORK_EXEC              (1 << 13) /* FORK synthesized by perf */
#define PERF_RECORD_MISC_SWITCH_OUT             (1 << 13) /* SWITCH, SWITCH_CPU_WIDE */
#define PERF_RECORD_MISC_EXACT_IP               (1 << 14) /* SAMPLE */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT     (1 << 14) /* SWITCH, SWITCH_CPU_WIDE */
#define PERF_RECORD_MISC_MMAP_BUILD_ID          (1 << 14) /* MMAP2 */
#define PERF_RECORD_MISC_EXT_RESERVED           (1 << 15)
#define PERF_RECORD_MISC_BUILD_ID_SIZE          (1 << 15) /* build-ID table in perf.data */

enum perf_callchain_context {
	PERF_CONTEXT_HV = -32,
	PERF_CONTEXT_KERNEL = -128,
	PERF_CONTEXT_USER = -512,
	PERF_CONTEXT_USER_DEFERRED = -640,
	PERF_CONTEXT_GUEST = -2048,
	PERF_CONTEXT_GUEST_KERNEL = -2176,
	PERF_CONTEXT_GUEST_USER = -2560,
	PERF_CONTEXT_MAX = -4095,
};

#define PERF_MAX_STACK_DEPTH        127
#define PERF_MAX_CONTEXTS_PER_STACK 8

/* One entry of PERF_SAMPLE_BRANCH_STACK. */
struct perf_branch_entry {
	uint64_t from;
	uint64_t to;
	uint64_t mispred : 1, predicted : 1, in_tx : 1, abort : 1, cycles : 16, type : 4, spec : 2,
		new_type : 4, priv : 3, reserved : 31;
};

enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE = 0,
	PERF_SAMPLE_REGS_ABI_32 = 1,
	PERF_SAMPLE_REGS_ABI_64 = 2,
	/* Combined with one of the above: vector and predicate registers follow. */
	PERF_SAMPLE_REGS_ABI_SIMD = 4,
};

/* The value of PERF_SAMPLE_DATA_SRC. Fields are listed from the least significant bit. */
union perf_mem_data_src {
	uint64_t val;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	struct {
		uint64_t mem_op : 5, mem_lvl : 14, mem_snoop : 5, mem_lock : 2, mem_dtlb : 7,
			mem_lvl_num : 4, mem_remote : 1, mem_snoopx : 2, mem_blk : 3, mem_hops : 3,
			mem_region : 5, mem_rsvd : 13;
	};
#else
	struct {
		uint64_t mem_rsvd : 13, mem_region : 5, mem_hops : 3, mem_blk : 3, mem_snoopx : 2,
			mem_remote : 1, mem_lvl_num : 4, mem_dtlb : 7, mem_lock : 2, mem_snoop : 5,
			mem_lvl : 14, mem_op : 5;
	};
#endif
};

enum perf_record_ksymbol_type {
	PERF_RECORD_KSYMBOL_TYPE_UNKNOWN = 0,
	PERF_RECORD_KSYMBOL_TYPE_BPF = 1,
	PERF_RECORD_KSYMBOL_TYPE_OOL = 2,
};
#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER (1 << 0)

enum perf_bpf_event_type {
	PERF_BPF_EVENT_UNKNOWN = 0,
	PERF_BPF_EVENT_PROG_LOAD = 1,
	PERF_BPF_EVENT_PROG_UNLOAD = 2,
};

struct perf_ns_link_info {
	uint64_t dev;
	uint64_t ino;
};

#define PERF_AUX_FLAG_TRUNCATED 0x01
#define PERF_AUX_FLAG_OVERWRITE 0x02
#define PERF_AUX_FLAG_PARTIAL   0x04
#define PERF_AUX_FLAG_COLLISION 0x08

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
