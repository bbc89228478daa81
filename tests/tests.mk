# The tests. Each check-* target stands alone; "make check" runs all and prints one sum.

UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(B)/tests/unit-tests
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all

$(B)/tests/%.o: tests/%.c $(SKEL)
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(CFLAGS) $(INC_tests) -c -o $@ $<

$(UNIT_BIN): $(call obj,$(UNIT_SRC)) $(LIB_record) $(LIB_report) $(LIB_format)
	$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lcriterion $(LIBS_record) $(LIBS_report)

check: deps
	$(MAKE) all
	tests/run-all.sh

# Criterion stays green on a leak: the sanitizers' log directory must end empty.
check-unit:
	$(MAKE) B=$(B)/asan SAN="$(ASAN)" $(B)/asan/tests/unit-tests
	tests/unit/run.sh $(B)/asan/tests/unit-tests
-include tests/live/live.mk
