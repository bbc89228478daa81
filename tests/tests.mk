# The tests. Each check-* target stands alone; "make check" runs all and prints one sum.

UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(B)/tests/unit-tests
SUPPORT_SRC := $(filter-out %_main.c,$(sort $(wildcard tests/support/*.c)))
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all

# Only rooms that have sources are linked.
TEST_ROOMS := $(foreach r,record report elf format,$(if $(call src,$(r)),$(r)))
TEST_LIBS := $(foreach r,$(TEST_ROOMS),$(LIB_$(r)))
FAILALLOC := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

$(B)/tests/%.o: tests/%.c $(if $(filter record,$(TEST_ROOMS)),$(SKEL))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(INC_tests) -c -o $@ $<

$(UNIT_BIN): $(call obj,$(UNIT_SRC) $(SUPPORT_SRC)) $(TEST_LIBS)
	$(call say,LD,$@)
	$(Q)$(CC) $(SAN) $(LDFLAGS) $(FAILALLOC) -o $@ $^ -lcriterion \
		$(sort $(foreach r,$(TEST_ROOMS),$(LIBS_$(r))))

check: deps
	$(MAKE) all
	tests/run-all.sh

# Criterion stays green on a leak: the sanitizers' log directory must end empty.
check-unit:
	$(MAKE) B=$(B)/asan SAN="$(ASAN)" $(B)/asan/tests/unit-tests
	tests/unit/run.sh $(B)/asan/tests/unit-tests

# The maker of recordings from text knows format/ only.
$(B)/tests/support/mkrec_main.o: tests/support/mkrec_main.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(INC_format) -c -o $@ $<

MKREC := $(B)/tests/support/mkrec
$(MKREC): $(B)/tests/support/mkrec_main.o $(LIB_format)
	$(call say,LD,$@)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS_format)

# Each case under the build that is shipped and under the sanitizers.
golden-build:
	$(MAKE) $(REPORT) $(MKREC)
	$(MAKE) B=$(B)/asan SAN="$(ASAN)" $(B)/asan/offwake-report $(B)/asan/tests/support/mkrec

.PHONY: golden-build check-corrupt
check-golden: golden-build
	tests/golden/run.sh $(B) $(B)/asan

golden-update: golden-build
	tests/golden/run.sh --update $(B)

check-corrupt: golden-build
	tests/corrupt/run.sh $(B) $(B)/asan

check-lint: $(RECORD) $(REPORT)
	B=$(B) tests/lint.sh

-include tests/live/live.mk
-include tests/vm/vm.mk
include tests/soak/soak.mk
