/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "err.h"

int owt_fail(struct owt_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->code)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

const char *owt_strerror(int code)
{
	static const char *const texts[] = {
		[OWT_E_NOT_RECORDING - OWT_E_FIRST] = "not an offwake recording",
		[OWT_E_TEXT_MODE - OWT_E_FIRST] = "transferred in text mode",
		[OWT_E_VERSION - OWT_E_FIRST] = "written by a newer version",
		[OWT_E_DAMAGED - OWT_E_FIRST] = "damaged",
		[OWT_E_TRUNCATED - OWT_E_FIRST] = "cut short",
		[OWT_E_INVALID - OWT_E_FIRST] = "invalid content",
		[OWT_E_LIMIT - OWT_E_FIRST] = "over a limit",
		[OWT_E_UNAVAILABLE - OWT_E_FIRST] = "not available on this host",
		[OWT_E_USAGE - OWT_E_FIRST] = "usage",
	};
	int n = code < 0 ? -code : code;

	if (n > OWT_E_FIRST && n < OWT_E_END)
		return texts[n - OWT_E_FIRST];
	return strerror(n);
}
