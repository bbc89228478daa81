# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# The loads of soak.sh. start_NAME brings the load up in the background, to run until
# stop_load; rate_NAME prints what it has done by then. Servers listen on loopback and keep
# their files below $T; nothing of the host's own configuration is read.

PG_PORT=15432 REDIS_PORT=16379 HTTP_PORT=18080
PG_BIN=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)

# in_background COMMAND...: in a session of its own, so that all of it can be ended. Those also
# are groups of their own to the scheduler (sched(7), autogroup): none starves the others.
in_background()
{
	setsid setpriv --pdeathsig TERM "$@" >>"$T/load.out" 2>>"$T/load.err" </dev/null &
	LOAD_PIDS="$LOAD_PIDS $!"
}

stop_load()
{
	# shellcheck disable=SC2086 # one word a process group
	[ -z "$LOAD_PIDS" ] || kill -s TERM -- $(printf ' -%s' $LOAD_PIDS) 2>/dev/null
	for pid in $LOAD_PIDS; do
		wait "$pid" 2>/dev/null
	done
	LOAD_PIDS=
}

# missing NAME COMMAND...: says what a load lacks; false when it lacks nothing.
lacks()
{
	load=$1
	shift
	for command; do
		command -v "$command" >/dev/null && continue
		echo "$load: no $command here: make deps-soak"
		return 0
	done
	return 1
}

# A little of everything: pairs that wake each other, timers, preemption, short processes,
# threads that come and go.
lacks_mixed() { lacks mixed "$WORKLOAD" setsid; }
start_mixed()
{
	for kind in "pipe 200 50" "condvar 200 50" "futex 200" "udp 200" "naps 200 20" "fork-tree 20" \
		"spinner 500" "exits 200" "mutex 100 100"; do
		# shellcheck disable=SC2086 # a kind and its arguments
		in_background sh -c 'while :; do "$@" && echo round; done' sh "$WORKLOAD" $kind
	done
	in_background sh -c 'while :; do /bin/true; done'
}
rate_mixed() { echo "$(grep -c '^round' "$T/load.out") workloads from start to end"; }

lacks_postgresql()
{
	lacks postgresql setpriv pgbench "${PG_BIN:-/usr/lib/postgresql}/initdb"
}
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
start_postgresql()
{
	mkdir "$T/pg"
	chown postgres "$T/pg"
	as_postgres "$PG_BIN/initdb" -D "$T/pg/data" --no-sync -A trust >>"$T/load.out" &&
		in_background setpriv --reuid=postgres --regid=postgres --clear-groups \
			"$PG_BIN/postgres" -D "$T/pg/data" -p "$PG_PORT" -k "$T/pg" -h '' || return 1
	until as_postgres pgbench -q -h "$T/pg" -p "$PG_PORT" -i -s 10 postgres >>"$T/load.out" 2>&1
	do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || return 1
		sleep 0.2
	done
	in_background setpriv --reuid=postgres --regid=postgres --clear-groups \
		pgbench -h "$T/pg" -p "$PG_PORT" -c 8 -j 2 -T 86400 -P 5 postgres
}
rate_postgresql() { echo "pgbench, 8 clients: $(sed -n 's/^progress: .*s, \(.*\) tps.*/\1/p' "$T/load.err" | tail -n 1) transactions a second"; }

lacks_redis() { lacks redis redis-server redis-benchmark; }
start_redis()
{
	in_background redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --save '' --dir "$T"
	until redis-cli -p "$REDIS_PORT" ping >>"$T/load.out" 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || return 1
		sleep 0.1
	done
	in_background redis-benchmark -p "$REDIS_PORT" -t get,set -c 50 -n 100000 -l -q
}
rate_redis() { echo "redis-benchmark, 50 clients: $(tr '\r' '\n' <"$T/load.out" | sed -n 's/.*rps=\([0-9.]*\).*/\1/p' | tail -n 1) requests a second"; }

lacks_nginx() { lacks nginx nginx wrk; }
start_nginx()
{
	mkdir "$T/www"
	seq 100 >"$T/www/index.html"
	chmod -R a+rX "$T"
	cat >"$T/nginx.conf" <<-CONF
		worker_processes 2;
		daemon off;
		pid $T/nginx.pid;
		error_log $T/nginx.err;
		events { worker_connections 1024; }
		http {
			access_log $T/nginx.log;
			client_body_temp_path $T/nginx.body;
			proxy_temp_path $T/nginx.proxy;
			fastcgi_temp_path $T/nginx.fastcgi;
			uwsgi_temp_path $T/nginx.uwsgi;
			scgi_temp_path $T/nginx.scgi;
			server { listen 127.0.0.1:$HTTP_PORT; root $T/www; }
		}
	CONF
	in_background nginx -c "$T/nginx.conf"
	sleep 0.5
	in_background sh -c 'while :; do wrk -t 2 -c 20 -d 5 "$1"; done' sh \
		"http://127.0.0.1:$HTTP_PORT/"
}
rate_nginx() { echo "wrk, 20 connections: $(sed -n 's/^Requests.sec: *//p' "$T/load.out" | tail -n 1) requests a second"; }
