"""The Lock of python-etcd3 0.12.0: an acquire whose answer is lost keeps its key until the lease ends. It is asked for one attempt,
as its wait raises a TypeError with Debian's tenacity.

Install: apt-get install -y etcd-server python3-etcd3
Run:     simrun attach --store etcd -- /usr/bin/python3 etcd3_lock.py
"""
import etcd3

from attach import serve


class Client:
    def prepare(self, order):
        host, port = order["addresses"][0].split(":")
        seconds = -(-order["lease_ms"] // 1000)
        self.lock = etcd3.client(host, int(port), timeout=2).lock(order["name"], ttl=seconds)
        return {"lock": "etcd3 Lock " + etcd3.__version__, "lease_ms": 1000 * seconds}

    def acquire(self, order):
        return self.lock.acquire(timeout=0.001)

    def extend(self, order):
        return bool(self.lock.refresh())

    def release(self, order):
        return self.lock.release()


client = Client()
serve(client.prepare, client.acquire, client.release, client.extend)
