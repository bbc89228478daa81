# The live tests on other kernels: "make check-vm", or "make check-vm KERNELS='6.1 6.12'".
# What they need is installed by "make deps-vm".
PACKAGES_VM := qemu-system-x86 busybox-static mmdebstrap debian-archive-keyring e2fsprogs cpio \
	kmod xz-utils zstd
KERNELS ?=

.PHONY: check-vm deps-vm
deps-vm:
	@sh tests/support/deps.sh $(PACKAGES_VM)

check-vm: deps-vm
	$(MAKE) all live-programs
	tests/vm/check-vm.sh $(B) $(B)/vm $(KERNELS)
