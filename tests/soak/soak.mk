# Real loads, recorded and reconciled: TIME seconds each.
SOAK_PACKAGES := postgresql redis-server redis-tools nginx-light wrk

.PHONY: soak deps-soak
deps-soak:
	@sh tests/support/deps.sh $(SOAK_PACKAGES)

TIME ?= 60
soak: all live-programs
	OFFWAKE_BUILD=$(abspath $(B)) TIME=$(TIME) tests/soak/soak.sh
