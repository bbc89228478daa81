/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_json.h - the part of the JSON output that comes before its rows.
 */
#ifndef REP_EMIT_JSON_H
#define REP_EMIT_JSON_H

#include "emit.h"
#include "json.h"

/* The members up to "rows", into the object that j has open. */
void rep_emit_json_head(struct rep_json *j, const struct rep_view *view);

/* The member "cost", where the recorder noted it. */
void rep_emit_json_cost(struct rep_json *j, const struct rep_view *view);
/* The member "reconciliation", where there are accounts. */
void rep_emit_json_reconcile(struct rep_json *j, const struct rep_view *view);

#endif
