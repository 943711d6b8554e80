"""The lock of rq's scheduler (Debian's python3-rq 1.13.0): a scheduler that stops deletes the locks of all its queues, also
those that another has. https://github.com/rq/rq/pull/1914, https://github.com/rq/rq/pull/2458. REPAIRED=1 deletes its own.

Install: apt-get install -y python3-rq
"""
import os
import time

import rq
from attach import connect, serve
from rq.scheduler import RQScheduler

SCRIPT = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'


class Client:
    def prepare(self, order):
        self.redis, self.name = connect(order), order["name"]
        return {"lock": "RQScheduler " + rq.VERSION, "lease_ms": 1000}  # whole seconds

    def acquire(self, order):
        self.scheduler = RQScheduler([self.name], self.redis, interval=1 - 60, logging_level="ERROR")  # its lease is interval + 60
        if "REPAIRED" in os.environ:
            self.scheduler.release_locks = self.release_own
        until = time.monotonic() + order["wait_ms"] / 1000
        while not self.scheduler.acquire_locks():
            if time.monotonic() >= until:
                self.scheduler.stop()
                return False
            time.sleep(0.02)

    def extend(self, order):
        self.scheduler.heartbeat()

    def release(self, order):
        self.scheduler.stop()

    def release_own(self):
        for name in self.scheduler.acquired_locks:
            self.redis.eval(SCRIPT, 1, self.scheduler.get_locking_key(name), os.getpid())


client = Client()
serve(client.prepare, client.acquire, client.release, client.extend)
