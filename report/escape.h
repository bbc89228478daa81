/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h - the one way an untrusted byte reaches an output.
 *
 * Whatever could move a cursor, hide, reorder or split text comes out as its code:
 * C0, DEL and invalid UTF-8 bytes as \xNN; C1, bidirectional and zero-width controls, line
 * and paragraph separators as \u{N}. A backslash is doubled, so the form can be undone.
 */
#ifndef REP_ESCAPE_H
#define REP_ESCAPE_H

#include <stdio.h>
#include "base.h"

enum rep_escape {
	REP_ESC_TEXT,
	/* Also ';' and a name that is "-" or "--", which mean something in folded lines. */
	REP_ESC_FRAME,
	/*
	 * Also a blank with nothing but digits and dots behind it: at the end of a folded
	 * line it would be taken for a value.
	 */
	REP_ESC_LAST,
	/* REP_ESC_TEXT inside a JSON string: a reader of JSON gets what the other outputs show. */
	REP_ESC_JSON
};

/*
 * Our own marks, "[hardirq]" and the like, begin with a bracket. A name that does, which any
 * thread can give itself, is put in front of this byte, and its bracket comes out as \x5b.
 */
#define REP_ESC_NAME_MARK '\0'

/* Writes the escaped bytes; errors stay in the stream. */
void rep_escape(FILE *out, enum rep_escape mode, const char *bytes, size_t len);

/* True when text is bytes as they are, or as an output shows them: \xNN, \u{N} and \\. */
bool rep_escape_is(const char *text, size_t text_len, const char *bytes, size_t len);

#endif
