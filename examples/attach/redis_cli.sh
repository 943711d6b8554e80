#!/bin/sh
# A client of simrun attach in forty lines of shell, over redis-cli: SET NX PX, and a script that compares and deletes.
#
# Install: apt-get install -y redis-tools
# Run:     simrun attach --store redis -- sh redis_cli.sh
release='if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'
extend='if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0'

field() { printf '%s' "$order" | sed -n "s/.*\"$1\":\[*\"*\([^],\"}]*\).*/\1/p"; }
redis() { redis-cli -h "${address%:*}" -p "${address##*:}" "$@" 2>&1; }
result() { printf '{"id":%s,"result":"%s"}\n' "$id" "$1"; }

# by_reply says what an answer of the server means: a word or number for success, nothing or 0 for failure.
by_reply() {
  case $1 in
  OK | 1) result ok ;;
  '' | 0) result failed ;;
  *) result unknown ;;
  esac
}

while read -r order; do
  id=$(field id)
  case $(field do) in
  prepare)
    address=$(field addresses) name=$(field name) lease=$(field lease_ms)
    printf '{"ready":true,"protocol":1,"lock":"redis-cli, SET NX PX"}\n'
    ;;
  acquire) # one attempt, whatever wait_ms says
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    by_reply "$(redis set "$name" "$token" nx px "$lease")"
    ;;
  extend) by_reply "$(redis eval "$extend" 1 "$name" "$token" "$lease")" ;;
  release) by_reply "$(redis eval "$release" 1 "$name" "$token")" ;;
  end) exit 0 ;;
  esac
done
