# SPDX-License-Identifier: Apache-2.0
# What a recording does not hold: looked for in every byte of it.

# stored WORD: how often it is in $T/bytes.
stored()
{
	grep -aoF -e "$1" "$T/bytes" | wc -l
}

bytes_of()
{
	"$PAYLOADS" "$1" >"$T/bytes"
}

check_privacy()
{
	PAYLOADS=$B/tests/live/payloads
	cp /bin/sleep "$T/ow-seen"
	echo "hush-contents" >"$T/ow-file"
	tail -f "$T/ow-file" >/dev/null 2>&1 &
	tail=$!
	HUSH=hush-environment setpriv --reuid 65534 --regid 65534 --clear-groups \
		env LOGNAME=hush-user sh -c 'while sleep 0.0078125; do :; done' hush-argument &
	loop=$!
	record -q -o "$T/privacy.data" -- env HUSH=hush-mine "$T/ow-seen" 0.31415926
	bytes_of "$T/privacy.data"
	same "privacy: the name of a thread and the path of a file are stored" "yes yes" \
		"$([ "$(stored ow-seen)" -ge 1 ] && echo yes) $([ "$(stored "$T/ow-seen")" -ge 1 ] && echo yes)"
	same "privacy: the command's arguments and environment" "0 0" \
		"$(stored 0.31415926) $(stored hush-mine)"
	HUSH=hush-mine record -q -o "$T/privacy.data" 2
	kill "$tail" "$loop"
	wait "$tail" "$loop" 2>/dev/null
	bytes_of "$T/privacy.data"
	[ "$(stored sleep)" -ge 1 ] && [ "$(stored tail)" -ge 1 ]
	verdict "privacy: both bystanders were recorded" $? "$(wc -c <"$T/bytes") bytes looked through"
	for word in hush-environment hush-user hush-argument hush-contents hush-mine 0.0078125 \
		LOGNAME= HOME= PATH= $(head -n 1 /etc/machine-id 2>/dev/null); do
		same "privacy: $word" 0 "$(stored "$word")"
	done
}
