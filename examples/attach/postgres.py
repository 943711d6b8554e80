"""A client of simrun attach: an advisory lock of PostgreSQL, which the session has until it ends.

Install: apt-get install -y postgresql-15 python3-psycopg2
Run:     simrun attach --store postgres -- /usr/bin/python3 postgres.py
"""
import time
import zlib

import psycopg2

from bugs.attach import serve


class Lock:
    def prepare(self, order):
        host, port = order["addresses"][0].split(":")
        self.login = dict(host=host, port=port, user=order["user"], password=order["password"], dbname=order["database"])
        self.key, self.session = zlib.crc32(order["name"].encode()), None
        self.connect()
        return {"lock": "pg_advisory_lock, psycopg2 " + psycopg2.__version__.split()[0], "lease_ms": 0}

    def connect(self):
        if self.session is None or self.session.closed:
            self.session = psycopg2.connect(sslmode="disable", **self.login)
            self.session.autocommit = True

    def ask(self, function):
        with self.session.cursor() as cursor:
            cursor.execute(f"SELECT {function}", (self.key,))
            return cursor.fetchone()[0]

    def acquire(self, order):
        self.connect()
        until = time.monotonic() + order["wait_ms"] / 1000
        while not self.ask("pg_try_advisory_lock(%s)"):
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)

    def extend(self, order):
        """Looks whether the session is there: the lock is its."""
        if self.session.closed:
            return False
        try:
            self.ask("%s")
        except psycopg2.OperationalError:  # the session is over, and the lock with it
            return False

    def release(self, order):
        return not self.session.closed and self.ask("pg_advisory_unlock(%s)")


if __name__ == "__main__":
    lock = Lock()
    serve(lock.prepare, lock.acquire, lock.release, lock.extend)
