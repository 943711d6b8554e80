"""The lock of Beaker over Redis (Debian's python3-beaker 1.11.0): its release watches the key, reads it, compares, and deletes
it outside of a transaction, so that the watch has no effect. REPAIRED=1 begins the transaction.

Install: apt-get install -y python3-beaker python3-redis
"""
import os

from attach import connect, serve
from beaker.ext.redisnm import RedisSynchronizer


class Repaired(RedisSynchronizer):
    def do_release_write_lock(self):
        def execute_release(pipe):
            own = pipe.get(self.identifier) == self._get_owner_id()
            pipe.multi()
            if own:
                pipe.delete(self.identifier)

        self.client.transaction(execute_release, self.identifier)


class Client:
    def prepare(self, order):
        RedisSynchronizer.LOCK_EXPIRATION = 1  # whole seconds
        make = Repaired if "REPAIRED" in os.environ else RedisSynchronizer
        self.lock = make(order["name"], connect(order))
        return {"lock": make.__name__ + " of Beaker 1.11.0", "lease_ms": 1000}

    def acquire(self, order):
        return self.lock.acquire(wait=False)

    def release(self, order):
        self.lock.release()


client = Client()
serve(client.prepare, client.acquire, client.release)
