# The live tests' own programs. A workload must have frames and no sibling calls, whatever the
# tree is built with: its stacks are the known answer.
LIVE_B := $(B)/tests/live
LIVE_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) -O1 -g -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls
WORKLOAD_SRC := $(addprefix tests/live/,workload.c truth.c wl_pair.c wl_lock.c wl_solo.c wl_race.c \
	wl_stack.c wl_paths.c wl_life.c wl_jit.c wl_kin.c wl_asleep.c wl_wake.c wl_signal.c wl_birth.c \
	wl_remap.c wl_change.c wl_storm.c)
WORKLOAD := $(LIVE_B)/workload
ANCESTOR := $(LIVE_B)/ancestor
WITNESS := $(LIVE_B)/witness
ELSEWHERE := $(LIVE_B)/elsewhere
EMPTY := $(B)/tests/bench/empty
PAYLOADS := $(LIVE_B)/payloads
CROWD := $(LIVE_B)/crowd
LIMITED := $(LIVE_B)/record-limited
IMAGES := $(foreach i,a b,$(foreach how,static pie bare,$(LIVE_B)/image-$(how)-$(i)))
REMAPS := $(LIVE_B)/remap-a.so $(LIVE_B)/remap-b.so

# Without a 32-bit library: only the compiler and the linker must know how.
SMALL32 := $(if $(filter x86,$(BPF_ARCH)),$(LIVE_B)/small32)

.PHONY: live-programs storms scale check-memory
live-programs: $(SMALL32) $(REMAPS) $(LIVE_B)/image-32-a $(WORKLOAD) $(ANCESTOR) $(WITNESS) \
	$(ELSEWHERE) $(EMPTY) $(PAYLOADS) $(CROWD) $(LIMITED) $(IMAGES)

$(WORKLOAD): $(WORKLOAD_SRC) $(wildcard tests/live/*.h)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -o $@ $(WORKLOAD_SRC) -pthread

$(LIVE_B)/remap-%.so: tests/live/remaplib.c $(wildcard tests/live/*.h)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -DLIBRARY=$* -fPIC -shared -o $@ $<

$(LIVE_B)/image-static-%: tests/live/image.c $(wildcard tests/live/*.h)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -DIMAGE=$* -fno-pie -static -o $@ $<

# None where the compiler makes no 32-bit programs: the test says so.
$(LIVE_B)/image-32-%: tests/live/image.c $(wildcard tests/live/*.h)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -DIMAGE=$* -m32 -fPIE -pie -o $@ $< 2>/dev/null || \
		: > $@

$(LIVE_B)/image-pie-%: tests/live/image.c $(wildcard tests/live/*.h)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -DIMAGE=$* -fPIE -pie -o $@ $<

# Without a build-id.
$(LIVE_B)/image-bare-%: tests/live/image.c $(wildcard tests/live/*.h)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -DIMAGE=$* -fPIE -pie -Wl,--build-id=none -o $@ $<

# A test's own BPF program NAME.bpf.c, its skeleton, and its loader NAME.c, in live/ or bench/.
$(B)/tests/%.bpf.o: tests/%.bpf.c $(wildcard tests/live/*.h)
	@mkdir -p $(@D)
	$(call say,BPF,$<)
	$(Q)$(CLANG) $(BPF_CFLAGS) -iquote tests/live -c -o $@ $<

$(B)/tests/%.skel.h: $(B)/tests/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(notdir $*)_bpf > $@

$(ANCESTOR) $(WITNESS) $(ELSEWHERE) $(EMPTY): $(B)/tests/%: tests/%.c $(B)/tests/%.skel.h $(wildcard tests/live/*.h)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -isystem $(@D) -o $@ $< -lbpf -lelf -lz

$(CROWD): tests/live/crowd.c tests/live/truth.c $(wildcard tests/live/*.h)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) -iquote tests/live -o $@ $(filter %.c,$^) -pthread

$(LIMITED): tests/live/limited.c $(RECORD)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LIVE_CFLAGS) $(INC_format) \
		$(foreach f,thread mapping stack module symbol,-Wl,--wrap=owt_check_$(f)) \
		-o $@ $< $(B)/record/record_main.o $(LIB_record) $(LIB_elf) $(LIB_format) $(LIBS_record)

$(LIVE_B)/small32: tests/live/small32.c
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -m32 -nostdlib -static -ffreestanding -O1 -g -fno-omit-frame-pointer -fno-pic \
		-fno-stack-protector -Wl,-e,ow_small_start -o $@ $< || echo "no 32-bit programs here"

$(PAYLOADS): tests/live/payloads.c
	@mkdir -p $(@D)
	$(CC) $(LIVE_CFLAGS) -o $@ $< -lzstd

check-live: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/live/run.sh

# What --max-memory bounds, at sizes that take minutes to fill.
check-memory: all live-programs
	OFFWAKE_MEMORY="16M 64M 256M" OFFWAKE_BUILD=$(abspath $(B)) tests/live/run.sh memory

# Takes a CPU down: threads bound to it are bound to it no more.
.PHONY: check-hotplug
check-hotplug: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/live/run.sh hotplug

# As many stacks, rows and threads as are promised; some minutes.
scale: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) OFFWAKE_SCALE=full tests/live/run.sh scale

demo: deps
	$(MAKE) all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/live/demo.sh

# Some minutes at the machine's limit: not part of "make check".
storms: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/bench/storms.sh

figures: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/bench/figures.sh
