#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The guest's first process, twice: from the initramfs it mounts the root and moves there; there
# it runs the job. /dev/vda holds the job as a tar, /dev/vdb takes its results, /dev/vdc is the
# root. What it prints for run-in-vm.sh begins with VM-.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH

boot()
{
	/bin/busybox --install -s /bin
	mount -t proc proc /proc
	mount -t devtmpfs dev /dev
	while read -r module; do insmod "/mod/$module" 2>/dev/null; done </mod/order
	tries=0
	while [ ! -b /dev/vdc ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	mount -t ext4 /dev/vdc /mnt || echo "VM-ERROR no root"
	cp /init /bin/busybox /mnt/job/
	mount --move /proc /mnt/proc
	mount --move /dev /mnt/dev
	exec switch_root /mnt /job/init
}

mount_all()
{
	mkdir -p /dev/pts /dev/shm
	mount -t sysfs sysfs /sys
	mount -t devpts pts /dev/pts
	mount -t tmpfs tmpfs /dev/shm
	mount -t tmpfs tmpfs /tmp
	mount -t tmpfs tmpfs /out
	mount -t tracefs tracefs /sys/kernel/tracing
	mount -t bpf bpf /sys/fs/bpf
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
	/job/busybox ip link set lo up
}

if [ -e /mod/order ]; then
	boot
fi
mount_all 2>/dev/null
tar -xf /dev/vda -C /job
echo "VM-START $(cut -d ' ' -f 1 /proc/uptime)"
HOME=/root LC_ALL=C.UTF-8 TERM=dumb /bin/sh /job/command </dev/null
status=$?
tar -C /out -cf /dev/vdb .
sync
echo "VM-STATUS $status"
/job/busybox poweroff -f
