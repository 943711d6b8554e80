"""A client of simrun attach: the Lock of kazoo over ZooKeeper.

Install: apt-get install -y zookeeper python3-kazoo   (Debian 12 has kazoo 2.8.0)
Run:     simrun attach --store zookeeper -- /usr/bin/python3 kazoo_lock.py
"""
import kazoo.version
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import LockTimeout

from bugs.attach import say, serve


class Lock:
    def prepare(self, order):
        self.held = False
        soon = {"max_tries": -1, "delay": 0.02, "backoff": 1}  # leases are short
        self.client = KazooClient(order["addresses"][0], timeout=order["lease_ms"] / 1000, connection_retry=soon)
        self.client.add_listener(self.changed)
        self.client.start(timeout=60)
        self.name = "/" + order["name"]
        self.lock = self.client.Lock(self.name, order["client"])
        return {"lock": "kazoo Lock " + kazoo.version.__version__, "reports_lost": True}

    def changed(self, state):
        """Reports that the lock may be lost: kazoo's documentation asks its users to look at the state."""
        if state != KazooState.CONNECTED and self.held:
            self.held = False
            say(lost=True)

    def acquire(self, order):
        self.held = False
        try:
            self.held = self.lock.acquire(blocking=order["wait_ms"] > 0, timeout=order["wait_ms"] / 1000 or None)
        except LockTimeout:
            pass
        return self.held

    def release(self, order):
        held, self.held = self.held, False
        return self.lock.release() and held


if __name__ == "__main__":
    lock = Lock()
    serve(lock.prepare, lock.acquire, lock.release)
