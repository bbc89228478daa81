# offwake: off-CPU and waker profiler. "make", "make check", "make demo", "make install".

B      ?= build
PREFIX ?= /usr/local
CLANG  ?= clang
BPFTOOL ?= bpftool
PKGCONF ?= pkg-config

VERSION := 0.1.0

PACKAGES := gcc make clang llvm bpftool pkg-config libbpf-dev libelf-dev libdw-dev zlib1g-dev \
	libzstd-dev liblzma-dev libiberty-dev libcriterion-dev binutils mandoc \
	python3-jsonschema linux-libc-dev libc6-dev

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wundef -Wvla -Wformat=2 -Wcast-qual \
	-Wwrite-strings -Wframe-larger-than=16384
OPT  ?= -O2 -g
SAN  ?=
HARDEN := -fstack-protector-strong $(if $(SAN),,-D_FORTIFY_SOURCE=2)
COMMON := -std=c11 -D_GNU_SOURCE -DOWT_VERSION='"$(VERSION)"' -MMD -MP $(WARN) $(HARDEN) $(OPT) \
	-fno-omit-frame-pointer $(SAN)

# Who may include whom: bpf <- record -> format <- report, and both -> elf -> format/base.h.
# These paths are the only ones.
INC_format := -iquote format
INC_elf    := -iquote elf -iquote format
INC_record := -iquote record -iquote elf -iquote format -iquote bpf -isystem $(B)/bpf
INC_report := -iquote report -iquote elf -iquote format
INC_tests  := -iquote tests/support $(INC_record) -iquote report

LIBS_format := -lzstd -lz
LIBS_elf    := -lelf -llzma
LIBS_record := -lbpf $(LIBS_elf) $(LIBS_format)
LIBS_report := $(LIBS_elf) -liberty $(LIBS_format)

# "make V=1" shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' $(1) $(2))

src = $(filter-out $(1)/$(1)_main.c,$(sort $(wildcard $(1)/*.c)))
obj = $(patsubst %.c,$(B)/%.o,$(1))

LIB_format := $(B)/format/libformat.a
LIB_elf    := $(B)/elf/libelfnames.a
LIB_record := $(B)/record/librecord.a
LIB_report := $(B)/report/libreport.a
RECORD := $(B)/offwake-record
REPORT := $(B)/offwake-report
SKEL   := $(B)/bpf/offwake.skel.h $(B)/bpf/offwake.text.h

.PHONY: all check demo deps install clean check-lint check-unit check-golden check-live \
	golden-update figures format-style
.DELETE_ON_ERROR:
.SECONDARY:

all: $(RECORD) $(REPORT) $(B)/offwaketime

$(B)/format/%.o: format/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(INC_format) -c -o $@ $<

$(B)/elf/%.o: elf/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(INC_elf) -c -o $@ $<

$(B)/record/%.o: record/%.c $(SKEL)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(INC_record) -c -o $@ $<

$(B)/report/%.o: report/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(INC_report) -c -o $@ $<

$(LIB_format): $(call obj,$(call src,format))
$(LIB_elf): $(call obj,$(call src,elf))
$(LIB_record): $(call obj,$(call src,record))
$(LIB_report): $(call obj,$(call src,report))
$(B)/%.a:
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

$(RECORD): $(B)/record/record_main.o $(LIB_record) $(LIB_elf) $(LIB_format)
	$(call say,LD,$@)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS_record)

$(REPORT): $(B)/report/report_main.o $(LIB_report) $(LIB_elf) $(LIB_format)
	$(call say,LD,$@)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS_report)

$(B)/offwaketime: record/offwaketime.sh
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

# The kernel side: CO-RE, only the kernel types named in bpf/kernel.bpf.h.
BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/; s/ppc64le/powerpc/; s/s390x/s390/; s/riscv64/riscv/')
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS := -std=gnu11 -O2 -g -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra -Werror \
	$(if $(MULTIARCH),-idirafter /usr/include/$(MULTIARCH)) -iquote bpf

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h)
	@mkdir -p $(@D)
	$(call say,BPF,$<)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# The source of the programs as a string, for --ebpf.
$(B)/bpf/offwake.text.h: bpf/inline.awk $(wildcard bpf/*.[ch])
	@mkdir -p $(@D)
	$(call say,TEXT,$@)
	$(Q)awk -f bpf/inline.awk | sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' > $@

-include $(wildcard $(B)/*/*.d $(B)/tests/*/*.d)

include tests/tests.mk

SHARE := $(DESTDIR)$(PREFIX)/share
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(addprefix $(SHARE)/,man/man1 man/man5 \
		doc/offwake bash-completion/completions)
	install -m 755 $(RECORD) $(REPORT) $(B)/offwaketime $(DESTDIR)$(PREFIX)/bin
	install -m 644 docs/*.1 $(SHARE)/man/man1
	install -m 644 docs/*.5 $(SHARE)/man/man5
	install -m 644 docs/json.md docs/security.md docs/*.schema.json $(SHARE)/doc/offwake
	install -m 644 completions/* $(SHARE)/bash-completion/completions

clean:
	rm -rf $(B)

deps:
	@sh tests/support/deps.sh $(PACKAGES)

format-style:
	clang-format -i $(wildcard */*.[ch] tests/*/*.[ch])
