/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include "bytes.h"
#include "fileheader.h"
#include "layout.h"
#include "zblock.h"

/* What transfers in text mode make of the magic; each stands for the bytes that follow too. */
static bool is_mangled_magic(const uint8_t *h, size_t n)
{
	static const char *const mangled[] = {
		"\x89OWT\n\x1a\n",	     /* CR LF to LF */
		"\x89OWT\r\r\n\x1a\r\n",     /* LF to CR LF */
		"\x89OWT\r\n\x1a\r\n",	     /* lone LF to CR LF */
		"\x89OWT\r\x1a\r",	     /* to CR */
		"\x89OWT\r\r\x1a\r",	     /* LF to CR */
		"\x89OWT\n\n\x1a\n",	     /* CR to LF */
		"\x09OWT\r\n\x1a\n",	     /* eighth bit lost */
		"\xc2\x89OWT\r\n\x1a\n",     /* Latin-1 to UTF-8 */
		"\xef\xbf\xbdOWT\r\n\x1a\n", /* not UTF-8, so replaced */
		"?OWT\r\n\x1a\n",
	};

	for (size_t i = 0; i < OWT_ARRAY_SIZE(mangled); i++) {
		size_t len = strlen(mangled[i]);

		if (n >= len && !memcmp(h, mangled[i], len))
			return true;
	}
	return false;
}

static int check_magic(const uint8_t *h, size_t n, struct owt_err *err)
{
	const size_t known = n < OWT_MAGIC_LEN ? n : OWT_MAGIC_LEN;

	if (is_mangled_magic(h, n))
		return owt_fail(err, -OWT_E_TEXT_MODE,
				"the recording was transferred in text mode, which destroys it: "
				"transfer it again in binary mode");
	if (memcmp(h, OWT_MAGIC, known))
		return owt_fail(err, -OWT_E_NOT_RECORDING,
				"not an offwake recording: its first bytes are not those of one");
	return 0;
}

static int cut_short(size_t n, struct owt_err *err)
{
	if (!n)
		return owt_fail(err, -OWT_E_TRUNCATED, "the recording is empty");
	return owt_fail(err, -OWT_E_TRUNCATED,
			"the recording is cut short: it ends at byte %zu, inside its header", n);
}

/* The whole header: its length, which only its checksum proves. */
static int take_header(struct owt_input *in, uint8_t h[OWT_HDR_BYTES_MAX], size_t *out_len,
		       struct owt_err *err)
{
	size_t got, more, len;
	int ret = owt_input_take(in, h, OWT_HDR_BYTES, &got);

	if (ret)
		return owt_fail(err, ret, "cannot read the recording: %s", owt_strerror(ret));
	ret = check_magic(h, got, err);
	if (ret)
		return ret;
	if (got < OWT_HDR_BYTES)
		return cut_short(got, err);
	len = owt_load_u32(h + OWT_HDR_LEN);
	if (len < OWT_HDR_BYTES || len > OWT_HDR_BYTES_MAX || len % OWT_CHK_ALIGN)
		return owt_fail(err, -OWT_E_DAMAGED,
				"the header is damaged: its length at byte %d is %zu, expected %d "
				"to %d in steps of %d",
				OWT_HDR_LEN, len, OWT_HDR_BYTES, OWT_HDR_BYTES_MAX, OWT_CHK_ALIGN);
	ret = owt_input_take(in, h + got, len - got, &more);
	if (ret)
		return owt_fail(err, ret, "cannot read the recording: %s", owt_strerror(ret));
	if (got + more < len)
		return cut_short(got + more, err);
	if (owt_load_u32(h + len - 4) != owt_crc32(0, h, len - 4))
		return owt_fail(err, -OWT_E_DAMAGED,
				"the header is damaged: its checksum is wrong");
	*out_len = len;
	return 0;
}

static int check_versions(const uint8_t *h, struct owt_err *err)
{
	unsigned major = owt_load_u16(h + OWT_HDR_MAJOR);
	uint32_t unknown = owt_load_u32(h + OWT_HDR_INCOMPAT) & ~OWT_INCOMPAT_KNOWN;

	if (major > OWT_MAJOR)
		return owt_fail(err, -OWT_E_VERSION,
				"the recording is of format version %u.%u, this program (%s) reads "
				"up to %d.x: a newer offwake-report is needed",
				major, owt_load_u16(h + OWT_HDR_MINOR), OWT_VERSION, OWT_MAJOR);
	if (unknown)
		return owt_fail(err, -OWT_E_VERSION,
				"the recording (format version %u.%u) uses feature bit %d, which "
				"this program (%s) does not know: a newer offwake-report is needed",
				major, owt_load_u16(h + OWT_HDR_MINOR), __builtin_ctz(unknown),
				OWT_VERSION);
	return 0;
}

static int check_zeros(const uint8_t *h, struct owt_err *err)
{
	for (unsigned i = OWT_HDR_FLAGS; i < OWT_HDR_BYTES - 4; i++)
		if (h[i])
			return owt_fail(err, -OWT_E_INVALID,
					"header: reserved byte %u: expected 0, found %u", i, h[i]);
	return 0;
}

int owt_header_read(struct owt_input *in, struct owt_file_info *out, struct owt_err *err)
{
	uint8_t h[OWT_HDR_BYTES_MAX];
	size_t len;
	int ret = take_header(in, h, &len, err);

	if (!ret)
		ret = check_versions(h, err);
	if (!ret)
		ret = check_zeros(h, err);
	if (ret)
		return ret;
	out->major = owt_load_u16(h + OWT_HDR_MAJOR);
	out->minor = owt_load_u16(h + OWT_HDR_MINOR);
	out->arch = owt_load_u16(h + OWT_HDR_ARCH);
	memcpy(out->file_id, h + OWT_HDR_FILE_ID, OWT_FILE_ID_LEN);
	return 0;
}
