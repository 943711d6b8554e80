"""A lock as it is often written over ZooKeeper: an ephemeral znode, which the release deletes without looking whose it is, and
again if the connection was lost. REPAIRED=1 deletes it only in the session that made it.

Install: apt-get install -y zookeeper python3-kazoo
Run:     simrun attach --store zookeeper -- /usr/bin/python3 zookeeper_delete.py
"""
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from kazoo.exceptions import NodeExistsError, NoNodeError  # noqa: E402
from kazoo.retry import KazooRetry  # noqa: E402

from bugs.attach import serve  # noqa: E402
from kazoo_lock import Lock  # noqa: E402


class Deletes(Lock):
    def prepare(self, order):
        return {**super().prepare(order), "lock": "an ephemeral znode, over kazoo"}

    def acquire(self, order):
        until = time.monotonic() + order["wait_ms"] / 1000
        self.held = False
        while not self.held:
            try:
                self.client.create(self.name, ephemeral=True)
                self.held, self.session = True, self.client.client_id[0]
            except NodeExistsError:
                if time.monotonic() >= until:
                    return False
                time.sleep(0.03)

    def release(self, order):
        self.held = False
        try:
            if "REPAIRED" in os.environ and self.client.client_id[0] != self.session:
                return False
            KazooRetry(max_tries=20, delay=0.03, backoff=1)(self.client.delete, self.name)
        except NoNodeError:
            return False


lock = Deletes()
serve(lock.prepare, lock.acquire, lock.release)
