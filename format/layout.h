/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - the constants of a recording: magic, offsets, chunk types, limits.
 *
 * Twin of docs/offwake-trace.5, which explains them; tests/lint-spec.sh compares the two.
 * Numbers of chunk types are never used twice and never change their meaning.
 */
#ifndef OWT_LAYOUT_H
#define OWT_LAYOUT_H

/* File header. Magic, offsets and checksum rule are the same in every major version. */
#define OWT_MAGIC	   "\x89OWT\r\n\x1a\n"
#define OWT_MAGIC_LEN	   8
#define OWT_MAJOR	   0
#define OWT_MINOR	   1
#define OWT_INCOMPAT_KNOWN 0x0u /* feature bits that this version can read */

#define OWT_HDR_MAJOR	 8  /* u16 */
#define OWT_HDR_MINOR	 10 /* u16 */
#define OWT_HDR_INCOMPAT 12 /* u32 */
#define OWT_HDR_COMPAT	 16 /* u32 */
#define OWT_HDR_LEN	 20 /* u32 */
#define OWT_HDR_FILE_ID	 24 /* 16 bytes */
#define OWT_HDR_ARCH	 40 /* u16 */
#define OWT_HDR_FLAGS	 42 /* u16, zero */
#define OWT_HDR_RESERVED 44 /* 16 bytes, zero */
#define OWT_HDR_BYTES	 64 /* the last four of a header are its checksum */
#define OWT_FILE_ID_LEN	 16

/* Chunk header. */
#define OWT_CHK_MARKER	    0  /* u32: first word of the file id ^ OWT_MARKER_XOR */
#define OWT_CHK_TYPE	    4  /* u32 */
#define OWT_CHK_VERSION	    8  /* u16 */
#define OWT_CHK_FLAGS	    10 /* u16 */
#define OWT_CHK_SEQUENCE    12 /* u64 */
#define OWT_CHK_STORED_LEN  20 /* u32 */
#define OWT_CHK_RAW_LEN	    24 /* u32 */
#define OWT_CHK_PAYLOAD_CRC 28 /* u32 */
#define OWT_CHK_RESERVED    32 /* 12 bytes, zero */
#define OWT_CHK_CRC	    44 /* u32, of the 44 bytes before */
#define OWT_CHK_BYTES	    48
#define OWT_CHK_ALIGN	    8
#define OWT_MARKER_XOR	    0x4b57464fu

enum owt_chunk_flags {
	OWT_CHUNK_CRITICAL = 0x1,     /* a reader that does not know the type must refuse */
	OWT_CHUNK_SAFE_TO_COPY = 0x2, /* refers to nothing: may be copied unread */
	OWT_CHUNK_ZSTD = 0x4,
	OWT_CHUNK_FLAGS_KNOWN = 0x7
};

/*
 * Within a slice chunks stand in ascending order of their type, unknown ones apart; SLICE_END
 * closes it.
 */
enum owt_chunk_type {
	OWT_CHUNK_META = 1,
	OWT_CHUNK_STRINGS = 2,
	OWT_CHUNK_FRAMES = 3,
	OWT_CHUNK_NODES = 4,
	OWT_CHUNK_STACKS = 5,
	OWT_CHUNK_THREADS = 6,
	OWT_CHUNK_MODULES = 7,
	OWT_CHUNK_PROCESSES = 8,
	OWT_CHUNK_MAPPINGS = 9,
	OWT_CHUNK_KSYMS = 10,
	OWT_CHUNK_ROWS = 11,
	OWT_CHUNK_SLICE_END = 12,
	OWT_CHUNK_END = 13,
	OWT_CHUNK_INDEX = 14,	   /* reserved, never written: a hint where slices lie */
	OWT_CHUNK_GENERATION = 15, /* reserved, never written: ids start anew */
	OWT_CHUNK_SYMBOLS = 16,
	OWT_CHUNK_ACCOUNTS = 17, /* optional: a reader that does not know it skips it */
	OWT_CHUNK_TYPE_CNT
};

#define OWT_CHUNK_VERSION 1	      /* of every type above */
#define OWT_CHUNK_PRIVATE 0x80000000u /* from here on: experiments, never in a release */

/* How the module of a kernel symbol follows from the symbol before it in the payload. */
enum owt_ksym_module {
	OWT_KSYM_SAME_MODULE = 0, /* the first of a payload: the kernel */
	OWT_KSYM_KERNEL = 1,
	OWT_KSYM_NEW_MODULE = 2
};

/* Limits: part of the format, a file beyond one of them is refused. */
#define OWT_HDR_BYTES_MAX    4096
#define OWT_CHUNK_RAW_MAX    1048576
#define OWT_CHUNK_STORED_MAX 1052672
#define OWT_ZSTD_WINDOW_MAX  1048576
#define OWT_SLICE_STORED_MAX 67108864 /* chunks of a slice, headers and padding too */
#define OWT_COLUMNS_MAX	     64
#define OWT_STRING_MAX	     4096
#define OWT_KSYM_NAME_MAX    1023
#define OWT_KSYM_MODULE_MAX  64
#define OWT_META_KEY_MAX     255
#define OWT_META_VALUE_MAX   65536
#define OWT_META_PAIRS_MAX   1024
#define OWT_STACK_DEPTH_MAX  1024
#define OWT_STACK_ERROR_MAX  4095
#define OWT_STRINGS_MAX	     16777216
#define OWT_FRAMES_MAX	     4194304
#define OWT_NODES_MAX	     16777216
#define OWT_STACKS_MAX	     16777216
#define OWT_THREADS_MAX	     4194304
#define OWT_MODULES_MAX	     1048576
#define OWT_PROCESSES_MAX    4194304
#define OWT_MAPPINGS_MAX     16777216
#define OWT_KSYMS_MAX	     16777216
#define OWT_SYMBOLS_MAX	     16777216
#define OWT_SYMBOL_NAME_MAX  4096
#define OWT_ACCOUNTS_MAX     16777216
#define OWT_SLICE_ROWS_MAX   16777216
#define OWT_SLICES_MAX	     4194304
#define OWT_CHUNKS_MAX	     67108864
#define OWT_LOSSES_MAX	     256 /* entries of one list of losses */
#define OWT_LOSS_CAUSE_MAX   65535
/* All raw bytes up to a chunk's end: at most BASE + RATIO x bytes of the file up to there. */
#define OWT_RAW_BASE_MAX  134217728
#define OWT_RAW_RATIO_MAX 64

#endif
