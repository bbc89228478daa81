# The live tests' own programs. A workload must have frames and no sibling calls, whatever the
# tree is built with: its stacks are the known answer.
LIVE_B := $(B)/tests/live
LIVE_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) -O1 -g -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls
WORKLOAD_SRC := $(addprefix tests/live/,workload.c truth.c wl_pair.c wl_lock.c wl_solo.c wl_race.c)
WORKLOAD := $(LIVE_B)/workload
ANCESTOR := $(LIVE_B)/ancestor

.PHONY: live-programs
live-programs: $(WORKLOAD) $(ANCESTOR)

$(WORKLOAD): $(WORKLOAD_SRC) $(wildcard tests/live/*.h)
	@mkdir -p $(@D)
	$(CC) $(LIVE_CFLAGS) -iquote tests/live -o $@ $(WORKLOAD_SRC) -pthread

$(LIVE_B)/ancestor.bpf.o: tests/live/ancestor.bpf.c tests/live/ancestor.h
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -iquote tests/live -c -o $@ $<

$(LIVE_B)/ancestor.skel.h: $(LIVE_B)/ancestor.bpf.o
	$(BPFTOOL) gen skeleton $< name ancestor_bpf > $@

$(ANCESTOR): tests/live/ancestor.c tests/live/ancestor.h $(LIVE_B)/ancestor.skel.h
	$(CC) $(LIVE_CFLAGS) -iquote tests/live -isystem $(LIVE_B) -o $@ $< \
		-lbpf -lelf -lz

check-live: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/live/run.sh

demo: deps
	$(MAKE) all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) tests/live/demo.sh

figures: all
	OFFWAKE_BUILD=$(abspath $(B)) tests/bench/figures.sh
