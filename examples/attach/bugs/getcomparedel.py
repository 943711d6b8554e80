"""A lock as it is often written, in Python: released by GET, compare, DEL. REPAIRED=1 releases by a script.

Install: apt-get install -y python3-redis
"""
import os
import time
import uuid

from attach import connect, serve

SCRIPT = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0'


class Client:
    def prepare(self, order):
        self.redis, self.name, self.lease = connect(order), order["name"], order["lease_ms"]
        return {"lock": "GET, compare, DEL, in Python" if not repaired() else "compare and delete by a script, in Python"}

    def acquire(self, order):
        self.token = uuid.uuid4().hex.encode()
        until = time.monotonic() + order["wait_ms"] / 1000
        while not self.redis.set(self.name, self.token, nx=True, px=self.lease):
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)

    def release(self, order):
        if repaired():
            return self.redis.eval(SCRIPT, 1, self.name, self.token) == 1
        return self.redis.get(self.name) == self.token and self.redis.delete(self.name) == 1


def repaired():
    return "REPAIRED" in os.environ


client = Client()
serve(client.prepare, client.acquire, client.release)
