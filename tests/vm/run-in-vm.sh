#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run-in-vm.sh - boot a kernel in QEMU, run one command in it, print the command's output and
# exit with its status.
#
# usage: run-in-vm.sh -k KERNEL -r ROOT [options] [--] COMMAND [ARG...]
#   -k KERNEL   directory of an unpacked linux-image package (fetch-kernel.sh)
#   -r ROOT     ext4 image to run in (make-root.sh); it is never written to
#   -f PATH     file or directory copied to /job, where the command starts (repeatable)
#   -o DIR      what the command leaves in /out is copied to DIR
#   -m MB       memory (default 1024)       -s N        CPUs (default 2)
#   -t SECONDS  bound of it all (default 600)   -B SECONDS  of one boot (default 180)
#   -K WORDS    more for the kernel's command line      -v  show the whole console
#
# Exit status: the command's; 124 when a bound was reached; 125 when the guest did not boot or
# reported no status (its console is then shown).
set -u
here=$(cd "$(dirname "$0")" && pwd)
memory=1024 cpus=2 bound=600 boot=180 kernel='' root='' out='' more='' verbose='' files=()
busybox=/bin/busybox
SECONDS=0
die() { echo "run-in-vm.sh: $*" >&2; exit 125; }
while getopts k:r:f:o:m:s:t:B:K:v option; do
	case $option in
	k) kernel=$OPTARG ;; r) root=$OPTARG ;; f) files+=("$OPTARG") ;; o) out=$OPTARG ;;
	m) memory=$OPTARG ;; s) cpus=$OPTARG ;; t) bound=$OPTARG ;; B) boot=$OPTARG ;;
	K) more=$OPTARG ;; v) verbose=1 ;;
	*) exit 125 ;;
	esac
done
shift $((OPTIND - 1))
if [ -z "$kernel" ] || [ -z "$root" ] || [ $# -eq 0 ]; then
	die "usage: run-in-vm.sh -k KERNEL -r ROOT [options] [--] COMMAND [ARG...]"
fi
[ -x "$busybox" ] || die "no $busybox (Debian package busybox-static)"

# In 7.x the image lies beside the modules.
image=$(find "$kernel" -path '*/boot/vmlinuz-*' -o -path '*/lib/modules/*/vmlinuz' 2> /dev/null |
	sort | tail -n 1)
[ -n "$image" ] || die "no kernel image in $kernel"
case $image in
*/boot/*) version=${image##*/vmlinuz-} ;;
*) version=${image%/*} version=${version##*/} ;;
esac
base=$kernel
[ -d "$kernel/lib/modules/$version" ] || base=$kernel/usr

work=$(mktemp -d) || exit 125
guest='' timer=''
cleanup() {
	[ -z "$timer" ] || kill "$timer" 2> /dev/null
	[ -z "$guest" ] || kill "$guest" 2> /dev/null
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# The modules that reach the disks, uncompressed and in order.
copy_modules() {
	local module name path
	[ -s "$base/lib/modules/$version/modules.dep" ] ||
		depmod -b "$base" "$version" 2> /dev/null || die "depmod failed"
	for module in virtio_pci virtio_blk ext4; do
		modprobe -d "$base" -S "$version" --show-depends "$module" 2> /dev/null
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
		name=${path##*/} name=${name%.ko*}.ko
		case $path in
		*.xz) xz -dc "$path" ;;
		*.zst) zstd -qdc "$path" ;;
		*) cat "$path" ;;
		esac > "$1/$name"
		echo "$name" >> "$1/order"
	done
}

# Built once for each kernel and kept beside it.
initrd=$kernel/initrd.gz
make_initrd() {
	local dir=$work/initrd
	if [ "$initrd" -nt "$here/init.sh" ] && [ "$initrd" -nt "$0" ] &&
		[ "$initrd" -nt "$busybox" ]; then
		return
	fi
	mkdir -p "$dir"/{bin,dev,proc,mnt,mod}
	: > "$dir/mod/order"
	copy_modules "$dir/mod"
	cp "$busybox" "$dir/bin/busybox"
	ln -s busybox "$dir/bin/sh"
	install -m 755 "$here/init.sh" "$dir/init"
	(cd "$dir" && find . | cpio -o -H newc 2> /dev/null | gzip -1) > "$work/initrd.gz" ||
		die "cannot make the initramfs"
	mv "$work/initrd.gz" "$initrd" || die "cannot write $initrd"
}

make_job() {
	local file word quote="'\\''"
	mkdir "$work/job"
	for file in ${files[@]+"${files[@]}"}; do
		cp -a "$file" "$work/job/" || die "cannot copy $file"
	done
	{
		echo 'cd /job || exit 125'
		for word; do
			printf "'%s' " "${word//\'/$quote}" # %q is for bash
		done
		echo
	} > "$work/job/command"
	tar -C "$work/job" -cf "$work/job.tar" . || die "cannot make the job"
	truncate -s 512M "$work/out.tar"
}

qemu=(qemu-system-x86_64 -M q35 -cpu max -accel tcg -nodefaults -no-reboot -display none
	-serial stdio -m "$memory" -smp "$cpus")
disk() {	# FILE NAME OPTIONS
	qemu+=(-drive "file=$1,if=none,id=$2,format=raw,$3" -device "virtio-blk-pci,drive=$2")
}

# Ends a guest that has not begun its job in time, or not ended it. $1: seconds that remain.
watch_guest() {
	local left=$1 first=$boot sleeper
	trap 'kill "$sleeper"; exit' TERM
	[ "$first" -le "$left" ] || first=$left
	sleep "$first" &
	sleeper=$!
	wait "$sleeper"
	if grep -q '^VM-START' "$work/console"; then
		sleep $((left - first)) &
		sleeper=$!
		wait "$sleeper"
		touch "$work/late"
	fi
	kill "$guest"
}

# What the command writes is shown as it comes.
run_guest() {
	local show='/^VM-START /,/^VM-STATUS /{/^VM-ST/d;p}' printer
	[ -z "$verbose" ] || show=p
	: > "$work/console"
	# Without tsc=reliable the guest's clocks are the emulated HPET's and the tick's: a reading
	# costs more than a sleep, and the threads' CPU time is off by milliseconds.
	TMPDIR=$work "${qemu[@]}" -kernel "$image" -initrd "$initrd" \
		-append "console=ttyS0 panic=-1 quiet loglevel=1 tsc=reliable $more" \
		< /dev/null > "$work/console" 2>&1 &
	guest=$!
	tail -n +1 -s 0.2 --pid="$guest" -f "$work/console" 2> /dev/null | sed -un "s/\r\$//;$show" &
	printer=$!
	watch_guest $((bound - SECONDS)) > /dev/null 2>&1 &
	timer=$!
	wait "$guest" 2> /dev/null
	guest=''
	kill "$timer" 2> /dev/null
	wait "$timer" 2> /dev/null
	timer=''
	wait "$printer"
}

make_initrd
make_job "$@"
disk "$work/job.tar" job readonly=on
disk "$work/out.tar" out cache=unsafe
disk "$root" root snapshot=on
# QEMU's emulation crashes some kernels as they boot, now and then: another try.
for try in 1 2 3 4 5; do
	[ $((bound - SECONDS)) -gt 0 ] || { touch "$work/late"; break; }
	run_guest
	! grep -q '^VM-START' "$work/console" || break
	[ "$try" = 5 ] || echo "run-in-vm.sh: boot $try failed, trying again" >&2
done
if [ -n "$out" ]; then
	mkdir -p "$out"
	tar -C "$out" -xf "$work/out.tar" 2> /dev/null
fi
status=$(sed -n 's/^VM-STATUS \([0-9]*\).*/\1/p' "$work/console" | tail -n 1)
[ -z "$status" ] || exit "$status"
if [ -e "$work/late" ]; then
	echo "run-in-vm.sh: the bound of $bound seconds was reached" >&2
	exit 124
fi
tail -n 30 "$work/console" >&2
die "the guest reported no status"
