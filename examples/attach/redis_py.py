"""A client of simrun attach: redis-py's own Lock.

Install: apt-get install -y python3-redis   (Debian 12 has 4.3.4; or pip install redis==4.3.4)
Run:     simrun attach --store redis -- /usr/bin/python3 redis_py.py
"""
import json
import sys

import redis
from redis.exceptions import LockError
from redis.lock import Lock


def main(lock_class=Lock, name="redis-py Lock " + redis.__version__):
    lock = None
    for line in iter(sys.stdin.readline, ""):
        order = json.loads(line)
        if order["do"] == "end":
            return
        if order["do"] == "prepare":
            host, port = order["addresses"][0].split(":")
            client = redis.Redis(host=host, port=int(port))
            lock = lock_class(client, order["name"], timeout=order["lease_ms"] / 1000, sleep=0.02)
            say(ready=True, protocol=1, lock=name)
            continue
        try:
            say(id=order["id"], result="ok" if carry_out(lock, order) else "failed")
        except LockError as error:  # the lock is not held
            say(id=order["id"], result="failed", error=str(error)[:400])
        except redis.RedisError as error:  # the library does not say
            say(id=order["id"], result="unknown", error=str(error)[:400])


def carry_out(lock, order):
    if order["do"] == "acquire":
        wait = order["wait_ms"] / 1000
        return lock.acquire(blocking=wait > 0, blocking_timeout=wait or None)
    if order["do"] == "extend":
        return lock.reacquire()
    lock.release()
    return True


def say(**report):
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
