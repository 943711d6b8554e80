"""The lock of OpenStack's Tooz over Redis (Debian's python3-tooz 3.1.0), which renews itself.

Install: apt-get install -y python3-tooz python3-redis
"""
from attach import connect, serve
from tooz import coordination


class Client:
    def prepare(self, order):
        connect(order).ping()
        url = "redis://" + order["addresses"][0] + "?timeout=1"  # whole seconds: of the socket, of the membership, and of locks
        self.coordinator = coordination.get_coordinator(url, order["client"].encode())
        self.coordinator.start(start_heart=True)
        self.lock = self.coordinator.get_lock(order["name"].encode())
        return {"lock": "Tooz 3.1.0, Redis", "lease_ms": 1000}

    def acquire(self, order):
        return self.lock.acquire(blocking=order["wait_ms"] / 1000 or False)

    def release(self, order):
        return self.lock.release()


client = Client()
serve(client.prepare, client.acquire, client.release)
