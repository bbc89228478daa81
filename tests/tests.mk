# The tests. Each check-* target stands alone; "make check" runs all and prints one sum.

UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(B)/tests/unit-tests
SUPPORT_SRC := $(filter-out %_main.c,$(sort $(wildcard tests/support/*.c)))
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all

# Only rooms that have sources are linked.
TEST_ROOMS := $(foreach r,record report format,$(if $(call src,$(r)),$(r)))
TEST_LIBS := $(foreach r,$(TEST_ROOMS),$(LIB_$(r)))
FAILALLOC := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

$(B)/tests/%.o: tests/%.c $(if $(filter record,$(TEST_ROOMS)),$(SKEL))
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(CFLAGS) $(INC_tests) -c -o $@ $<

$(UNIT_BIN): $(call obj,$(UNIT_SRC) $(SUPPORT_SRC)) $(TEST_LIBS)
	$(CC) $(SAN) $(LDFLAGS) $(FAILALLOC) -o $@ $^ -lcriterion \
		$(sort $(foreach r,$(TEST_ROOMS),$(LIBS_$(r))))

check: deps
	$(MAKE) all
	tests/run-all.sh

# Criterion stays green on a leak: the sanitizers' log directory must end empty.
check-unit:
	$(MAKE) B=$(B)/asan SAN="$(ASAN)" $(B)/asan/tests/unit-tests
	tests/unit/run.sh $(B)/asan/tests/unit-tests
