"""A client of simrun attach: a key of etcd with a lease, by python-etcd3. The lease is revoked if the answer to the
request for the key does not come, and at the release.

Install: apt-get install -y etcd-server python3-etcd3
Run:     simrun attach --store etcd -- /usr/bin/python3 etcd_lock.py
"""
import time

import etcd3

from bugs.attach import serve


class Lock:
    def prepare(self, order):
        host, port = order["addresses"][0].split(":")
        self.etcd = etcd3.client(host, int(port), timeout=2)
        self.key, self.client, self.left = order["name"], order["client"], []
        self.seconds = -(-order["lease_ms"] // 1000)
        return {"lock": "a key with a lease, etcd3 " + etcd3.__version__, "lease_ms": 1000 * self.seconds}

    def acquire(self, order):
        until = time.monotonic() + order["wait_ms"] / 1000
        while not self.attempt():
            if time.monotonic() >= until:
                return False
            time.sleep(0.05)

    def attempt(self):
        """Tries once. A lease that is not used, or may be, is revoked, now or before the next attempt."""
        self.revoke()
        asked, lease = time.monotonic(), self.etcd.lease(self.seconds)
        self.left.append(lease)
        free = self.etcd.transactions.version(self.key) == 0
        put = self.etcd.transactions.put(self.key, self.client, lease)
        done, _ = self.etcd.transaction(compare=[free], success=[put], failure=[])
        if done and time.monotonic() < asked + 0.8 * self.seconds:
            self.lease = lease
            return True
        self.revoke()
        return False

    def revoke(self):
        while self.left:
            try:
                self.left[0].revoke()
            except etcd3.exceptions.Etcd3Exception as error:
                raise error
            except Exception as error:  # of gRPC
                if "not found" not in str(error):
                    raise
            self.left.pop(0)

    def extend(self, order):
        return self.lease.refresh()[0].TTL > 0

    def release(self, order):
        mine = self.etcd.get_lease_info(self.lease.id).TTL > 0
        self.revoke()
        return mine


if __name__ == "__main__":
    lock = Lock()
    serve(lock.prepare, lock.acquire, lock.release, lock.extend)
