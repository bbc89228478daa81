/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "err.h"

Test(err, the_first_fault_is_the_one_kept)
{
	struct owt_err err = {.code = 0};

	cr_assert_eq(owt_fail(&err, -EINVAL, "chunk %d", 4), -EINVAL);
	cr_assert_eq(owt_fail(&err, -ENOMEM, "later"), -ENOMEM);
	cr_assert_eq(err.code, -EINVAL);
	cr_assert_str_eq(err.text, "chunk 4");
	cr_assert_eq(owt_fail(NULL, -EIO, "nobody listens"), -EIO);
}

Test(err, long_texts_are_cut_not_overrun)
{
	struct owt_err err = {.code = 0};
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	owt_fail(&err, -EIO, "%s", text);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
}

Test(err, every_code_has_a_text)
{
	for (int code = OWT_E_FIRST + 1; code < OWT_E_END; code++) {
		cr_assert_not_null(owt_strerror(code));
		cr_assert_str_eq(owt_strerror(code), owt_strerror(-code));
	}
	cr_assert_str_eq(owt_strerror(-ENOSPC), strerror(ENOSPC));
	cr_assert_not_null(owt_strerror(-OWT_E_END));
	cr_assert_not_null(owt_strerror(OWT_E_FIRST));
}
