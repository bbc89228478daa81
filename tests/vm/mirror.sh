# SPDX-License-Identifier: Apache-2.0
# Where Debian's packages come from: the system's own configuration says. Sourced.

# mirror_of SUITE: the address of the archive that the system takes such suites from.
mirror_of() {
	local end=/debian address
	case $1 in *-security) end=/debian-security ;; esac
	address=$(apt-get update --print-uris |
		sed -n "s#^'\(.*$end\)/dists/.*#\1#p" | head -n 1)
	if [ -z "$address" ]; then
		echo "the system's package sources have no archive that ends in $end" >&2
		return 1
	fi
	echo "$address"
}

# source_line SUITE: as sources.list wants it.
source_line() {
	local address
	address=$(mirror_of "$1") || return
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $address $1 main"
}

# The way there: proxies, and what else the system sets for fetching.
fetch_options() {
	apt-config dump Acquire | grep -E '^Acquire::(https?::|Check-|Retries)'
}
